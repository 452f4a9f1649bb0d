import { assertNever } from "../../base/json.js";
import type { Block } from "./report-blocks.js";

/** The blocks as Markdown. Names and texts of a run cannot become markup. */
export function markdownReport(blocks: readonly Block[]): string {
  const parts = blocks.map((block) => {
    switch (block.kind) {
      case "heading":
        return `${"#".repeat(block.level)} ${escapeMarkdown(block.text)}`;
      case "text":
        return escapeMarkdown(block.text);
      case "list":
        return block.items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");
      case "table": {
        const titles = row(block.columns.map(({ title }) => title));
        const line = row(
          block.columns.map(({ align }) => (align === "right" ? "---:" : "---")),
          (cell) => cell,
        );
        return [titles, line, ...block.rows.map((cells) => row(cells))].join("\n");
      }
      default:
        return assertNever(block);
    }
  });
  return `${parts.join("\n\n")}\n`;
}

function row(cells: readonly string[], write = escapeMarkdown): string {
  return `| ${cells.map(write).join(" | ")} |`;
}

function escapeMarkdown(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replace(/[\\`*_[\]<>|#~&$]|^[-+](?= )|^\d+(?=[.)] )/gu, (sign) => (/^\d/.test(sign) ? `${sign}\\` : `\\${sign}`));
}
