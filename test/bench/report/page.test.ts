import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandOf, installTriact, Running } from "../../cli/installed.ts";
import { writeFiles } from "../../package/temporary-folder.ts";
import { chromiumPath, reason } from "./chromium.ts";
import { filesOf, generatedArms, generateRun } from "./generated-run.ts";

/** Texts of models and tools that try to become part of the page. */
const hostile = `</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"><!--<script>`;
const crossover = generateRun({ text: (text) => `${text} ${hostile}`, trials: 2 });
const workday = generateRun({ suites: ["workday"], isReference: false, model: `gpt${hostile}` });
const faulty = generateRun({ trials: 2, fault: "late-exception", text: (text) => `${text} ${hostile}` });
const ownNames = {
  ...workday,
  records: workday.records.map((record) => ({ ...record, task: `${record.task}${hostile}`, answer: hostile })),
};

let folder: string;
let url: string;
let browser: Browser;

const install = async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "triact-page-")));
  await installTriact(folder);
  writeFiles(folder, { ...filesOf(crossover, "one"), ...filesOf(ownNames, "two"), ...filesOf(faulty, "three") });
  const { exitCode, stderr } = await new Running([commandOf(folder), "bench", "report", "one", "two", "three", "-o", "page.html"], {
    cwd: folder,
  }).end();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  url = pathToFileURL(join(folder, "page.html")).href;
};

describe.skipIf(chromiumPath === undefined)(`the HTML page${reason}`, () => {
  beforeAll(async () => {
    await install();
    browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("draws every chart without an error and without a request to anywhere", async () => {
    await using opened = await open();
    const { page } = opened;
    for (const name of [
      "Share solved against tokens per task",
      "Paired differences",
      "Tokens per task by cause",
      "tokens per task against fanOut",
    ]) {
      const chart = page.locator(`svg[aria-label^="${name}"]`);
      expect(await chart.count(), name).toBe(1);
      expect(await chart.locator("circle, rect, path, line").count(), name).toBeGreaterThan(5);
    }
    const bars = await page
      .locator('svg[aria-label="Tokens per task by cause"] rect')
      .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
    expect(bars.filter((width) => width > 0.5).length).toBeGreaterThan(12);
    expect(opened.problems).toEqual([]);
    expect(opened.requests).toEqual([url]);
  });

  test("says at its top what the run may not claim", async () => {
    await using opened = await open();
    const [title, claims] = await opened.page.locator("main > *").evaluateAll((all) => all.slice(0, 2).map((each) => each.textContent));
    expect(title).toBe("Benchmark of strategies");
    expect(claims).toContain("They do not show success rates or rankings of strategies with a language model");
  });

  test("sorts a table by a column, the other way round, and back", async () => {
    await using opened = await open();
    const table = opened.page.locator('[aria-label^="Strategies"]');
    const names = () => table.locator("tbody th").allTextContents();
    const sort = table.getByRole("button", { name: "input", exact: true });
    const before = await names();
    await sort.click();
    expect(await table.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
    expect(await names()).toEqual(["react", "deep-research", 'codeact:{"finish":"model"}']);
    await sort.press("Enter");
    expect(await names()).toEqual(['codeact:{"finish":"model"}', "deep-research", "react"]);
    await sort.press("Enter");
    expect(await names()).toEqual(before);
  });

  test("opens the trace of a cell, with nested calls, and goes on by keys", async () => {
    await using opened = await open();
    const { page } = opened;
    const first = page.locator('.attempt[aria-label^="task-3, codeact"]').first();
    await first.focus();
    await page.keyboard.press("Enter");
    const dialog = page.locator("dialog[open]");
    await dialog.locator(".call").first().waitFor();
    expect(await dialog.locator("h2").textContent()).toBe('crossover/task-3/codeact:{"finish":"model"}/reference/0');
    expect(await dialog.locator(".trace-body > .call").count()).toBe(1);
    expect(await dialog.locator(".call .call").count()).toBe(4);
    expect(await dialog.locator("pre.code").first().textContent()).toContain("Promise.all");
    expect(await dialog.locator("pre").first().textContent()).toBe(`How many of the records count? ${hostile}`);
    await page.keyboard.press("ArrowRight");
    await dialog.getByText('crossover/task-3/codeact:{"finish":"model"}/reference/1').waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(await first.evaluate((each) => each === document.activeElement)).toBe(true);
  });

  test("shows only the tasks on which the strategies differ", async () => {
    await using opened = await open();
    const { page } = opened;
    const visible = () => page.locator(".grid tbody tr:visible").count();
    expect(await visible()).toBe(24);
    await page.locator(".controls input").check();
    expect(await visible()).toBe(await page.locator(".grid tr.differs").count());
  });

  test("shows how the strategies took the faults, in a table of its own", async () => {
    await using opened = await open();
    const { page } = opened;
    await page.getByRole("button", { name: "Recovery from faults" }).click();
    const rows = page.getByRole("region", { name: "Recovery, crossover" }).locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.locator("th").allTextContents()).toEqual(generatedArms.map(() => "late-exception"));
    expect(await rows.first().locator("td").nth(2).textContent()).toMatch(/^[\d.]+% \d+\/\d+$/);
    expect(opened.problems).toEqual([]);
  });

  test("names a view in its address, so that it can be linked and the way back leads back", async () => {
    await using opened = await open();
    const { page } = opened;
    const pressed = () => page.locator('nav button[aria-pressed="true"]').getAttribute("title");
    const before = await pressed();
    await page.getByRole("button", { name: "Recovery from faults" }).click();
    await page.getByRole("heading", { name: "Recovery from faults" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#4");
    await page.goBack();
    await page.locator("nav button").first().and(page.locator('[aria-pressed="true"]')).waitFor();
    expect(await pressed()).toBe(before);
    await page.goto(`${url}#4`);
    await page.getByRole("heading", { name: "Recovery from faults" }).waitFor();
  });

  test("asks a question once in a trace, and has one colour for a strategy everywhere", async () => {
    await using opened = await open();
    const { page } = opened;
    const colours = async (scope: string) =>
      Object.fromEntries(
        await page
          .locator(`${scope} .arm`)
          .evaluateAll((all) =>
            all.map((each) => [each.textContent ?? "", (each.firstElementChild as HTMLElement).style.background] as const),
          ),
      );
    const inSection = await colours('[aria-label^="Strategies"]');
    await page.getByRole("button", { name: "Recovery from faults" }).click();
    await page.getByRole("region", { name: "Recovery, crossover" }).waitFor();
    expect(await colours('[aria-label^="Recovery"]')).toEqual(inSection);
    await page.locator("nav button").first().click();
    await page.locator(".attempt").first().click();
    await page.locator("dialog[open] .step").first().waitFor();
    expect(await page.locator("dialog[open] h3", { hasText: /^user/ }).count()).toBe(0);
  });

  test("takes no text of a model, tool or task for markup", async () => {
    await using opened = await open();
    const { page } = opened;
    await page.locator("nav button").nth(1).click();
    await page.locator(".attempt").first().click();
    await page.locator("dialog[open] .step").first().waitFor();
    expect(await page.locator(".grid tbody th").first().textContent()).toContain(hostile);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(opened.problems).toEqual([]);
    expect(readFileSync(join(folder, "page.html"), "utf8")).not.toContain('onerror="window');
  });

  test.for(["light", "dark"] as const)("is readable in %s mode: every text has a contrast of 4.5 or more", async (colorScheme) => {
    await using opened = await open({ colorScheme });
    const { page } = opened;
    expect(await page.evaluate(lowContrast)).toEqual([]);
    await page.locator(".attempt.bad").first().click();
    await page.locator("dialog[open] .call").first().waitFor();
    expect(await page.evaluate(lowContrast)).toEqual([]);
    const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(back).toBe(colorScheme === "dark" ? "rgb(20, 22, 26)" : "rgb(246, 246, 243)");
  });

  test("fits a phone: the page does not scroll sideways, and neither does a trace", async () => {
    await using opened = await open({ viewport: { width: 375, height: 740 } });
    const { page } = opened;
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(await overflow()).toBe(0);
    for (const button of (await page.locator("nav button").all()).toReversed()) {
      await button.click();
      await button.and(page.locator('[aria-pressed="true"]')).waitFor();
      expect(await overflow(), (await button.textContent()) ?? "").toBe(0);
    }
    await page.locator("svg[aria-label^='Share solved']").waitFor();
    await page.locator(".attempt").first().click();
    await page.locator("dialog[open] .step").first().waitFor();
    expect(await page.locator("dialog").evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBe(0);
  });
});

interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the console and of scripts. */
  readonly problems: string[];
  readonly requests: string[];
}

async function open(options: { colorScheme?: "light" | "dark"; viewport?: { width: number; height: number } } = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(url);
  await page.locator("svg[aria-label='Tokens per task by cause']").waitFor();
  return { page, problems, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** Texts of the page whose colour is too near to what is behind them, as WCAG 2.2 (1.4.3) measures it. Runs in the page. */
function lowContrast(): string[] {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
  const channels = (colour: string): number[] => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour: string): number => {
    const linear = channels(colour)
      .slice(0, 3)
      .map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  };
  const behind = (from: Element | null): string => {
    for (let each = from; each !== null; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if ((channels(backgroundColor)[3] ?? 0) > 250) return backgroundColor;
    }
    return "white";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const low: string[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || node.textContent?.trim() === "" || !parent.checkVisibility() || parent.closest("script, style") !== null)
      continue;
    const style = getComputedStyle(parent);
    const [a, b] = [luminance(parent instanceof SVGElement ? style.fill : style.color), luminance(behind(parent))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push(`${node.textContent}: ${contrast.toFixed(2)}`);
  }
  return low;
}
