import type { Pricing } from "../../base/usage.js";
import type { BenchmarkModel } from "../../bench/runner/benchmark-cell.js";
import { absoluteModel } from "../agent-plan.js";
import type { CommandHost } from "../command.js";
import type { FlagValues } from "../parse-flags.js";
import { resolveModel } from "../resolve-model.js";
import { UsageError } from "../usage-error.js";

/**
 * The models of `--model`, with the prices of `--price`.
 * @throws UsageError for a model or a price that cannot be used.
 */
export async function readModels(values: FlagValues, host: CommandHost): Promise<BenchmarkModel[]> {
  const specs = values.texts("model");
  const prices = values.texts("price").map(readPrice);
  if (prices.length > 1 && prices.length !== specs.length) {
    throw new UsageError({ problem: `--price: one is expected, or one for each --model; received ${prices.length} for ${specs.length}.` });
  }
  if (prices.length > 0 && specs.length === 0)
    throw new UsageError({ problem: "--price: the reference policy costs nothing. Give it with --model." });
  const models: BenchmarkModel[] = [];
  for (const [index, spec] of specs.entries()) {
    const pricing = prices[index] ?? prices[0];
    const model = await resolveModel(absoluteModel(spec, host.workingDirectory), { host });
    models.push({ name: spec, model, ...(pricing === undefined ? undefined : { pricing }) });
  }
  return models;
}

function readPrice(text: string): Pricing {
  const [inputPerMTok, outputPerMTok, ...more] = text.split("/").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (more.length === 0 && isPrice(inputPerMTok) && isPrice(outputPerMTok)) return { inputPerMTok, outputPerMTok };
  throw new UsageError({ problem: `--price: expected two numbers from 0 as in 3/15, received ${JSON.stringify(text)}.` });
}

function isPrice(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}
