import { type Content, element } from "./element.js";

/** A column of a table; cells are sorted by `sortBy`, numbers from the largest. */
export interface TableColumn<Row> {
  readonly title: string;
  /** What the number means, shown when the title is pointed at. */
  readonly help?: string;
  readonly show: (row: Row) => Content;
  /** Without it the column is not sorted by. Rows without a value stand last. */
  readonly sortBy?: (row: Row) => number | string | undefined;
  /** Stands at the left, although it is sorted by a number. */
  readonly isWide?: boolean;
}

/** A table whose titles are buttons that sort it: once, the other way round, and back. */
export function sortableTable<Row>(
  caption: string,
  { columns, rows }: { columns: readonly TableColumn<Row>[]; rows: readonly Row[] },
): HTMLElement {
  const body = element("tbody");
  const heads = columns.map((column, index) => {
    const { sortBy } = column;
    const isNumber = rows.some((row) => typeof sortBy?.(row) === "number");
    const isRight = isNumber && column.isWide !== true;
    const head = element("th", { scope: "col", class: isRight ? "number" : undefined, title: column.help });
    if (sortBy === undefined) head.append(column.title);
    else {
      const press = element("button", { type: "button", class: "sort" }, column.title);
      press.addEventListener("click", () => sort(index, isNumber));
      head.append(press);
    }
    return head;
  });
  const fill = (sorted: readonly Row[]) => {
    const lines = sorted.map((row) =>
      element(
        "tr",
        {},
        ...columns.map((column, index) =>
          element(
            index === 0 ? "th" : "td",
            { scope: index === 0 ? "row" : undefined, class: heads[index]?.className || undefined },
            column.show(row),
          ),
        ),
      ),
    );
    body.replaceChildren(...lines);
  };
  const sort = (index: number, isNumber: boolean) => {
    const head = heads[index];
    const [once, again] = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
    const before = head?.getAttribute("aria-sort");
    const next = before === null ? once : before === once ? again : undefined;
    for (const each of heads) each.removeAttribute("aria-sort");
    if (next !== undefined) head?.setAttribute("aria-sort", next ?? "");
    fill(next === undefined ? rows : sorted(rows, columns[index]?.sortBy ?? (() => undefined), next === "ascending" ? 1 : -1));
  };
  fill(rows);
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", { class: "hidden" }, caption), element("thead", {}, element("tr", {}, ...heads)), body),
  );
}

function sorted<Row>(rows: readonly Row[], sortBy: (row: Row) => number | string | undefined, direction: 1 | -1): readonly Row[] {
  return [...rows].sort((a, b) => {
    const [first, second] = [sortBy(a), sortBy(b)];
    if (first === undefined || second === undefined) return first === second ? 0 : first === undefined ? 1 : -1;
    if (typeof first === "number" && typeof second === "number") return direction * (first - second);
    return direction * String(first).localeCompare(String(second), "en", { numeric: true });
  });
}
