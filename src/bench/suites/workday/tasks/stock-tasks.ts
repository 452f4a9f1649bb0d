import type { Company, Item } from "../company.js";
import type { WorkdayDraft } from "../workday-task.js";
import { at, js } from "./draft-parts.js";

/** Tasks about parts. */
export function stockTasks(company: Company): WorkdayDraft[] {
  const { items, people } = company;
  const item = (index: number) => at(items, index);
  return [
    ...[8, 12].map((index) => reorderOf(item(index).supplier)),
    ...[1, 2, 7].map((index) => orderIfLow(item(index))),
    ...[0, 9].map((index) => orderUnlessOrdered(item(index))),
    stockValue(company, item(0).supplier),
    takeOverCount(at(people, 9).name),
    howManyClocks([item(1), item(3), item(6)]),
  ];
}

function reorderOf(supplier: string): WorkdayDraft {
  return {
    template: "reorder",
    question: `For each part from ${supplier} of which fewer are on hand than its minimum, order as many as it takes to have twice the minimum.`,
    edit: ({ items, orders }) => {
      for (const { sku, onHand, minimum } of items.filter((item) => item.supplier === supplier && item.onHand < item.minimum)) {
        orders.push({ id: `PO-new-${sku}`, sku, quantity: 2 * minimum - onHand });
      }
    },
    program: `const { items } = await list_items({ supplier: ${js(supplier)} });
const low = items.filter(({ onHand, minimum }) => onHand < minimum);
await Promise.all(low.map(({ sku, onHand, minimum }) => order_item({ sku, quantity: 2 * minimum - onHand })));
return low.length === 0 ? "nothing to do" : "done";`,
  };
}

function orderIfLow({ sku, name }: Item): WorkdayDraft {
  return {
    template: "order-if-low",
    question: `Look whether we have fewer of part ${sku} (${name}) than its minimum. If so, order 50 of it.`,
    edit: ({ items, orders }) => {
      const item = items.find((each) => each.sku === sku);
      if (item !== undefined && item.onHand < item.minimum) orders.push({ id: "PO-new", sku, quantity: 50 });
    },
    program: `const { items } = await list_items({});
const { onHand, minimum } = items.find(({ sku }) => sku === ${js(sku)});
if (onHand >= minimum) return "nothing to do";
await order_item({ sku: ${js(sku)}, quantity: 50 });
return "done";`,
  };
}

function orderUnlessOrdered({ sku, name }: Item): WorkdayDraft {
  return {
    template: "order-unless-ordered",
    question: `Order 25 of part ${sku} (${name}), unless an order for it is on its way already.`,
    edit: ({ orders }) => {
      if (!orders.some((order) => order.sku === sku)) orders.push({ id: "PO-new", sku, quantity: 25 });
    },
    program: `const { orders } = await list_orders({});
if (orders.some(({ sku }) => sku === ${js(sku)})) return "nothing to do";
await order_item({ sku: ${js(sku)}, quantity: 25 });
return "done";`,
  };
}

function stockValue({ items }: Company, supplier: string): WorkdayDraft {
  return {
    template: "stock-value",
    question: `What are all parts from ${supplier} that we have on hand worth together, in euro? Answer with the number alone.`,
    answer: items.filter((item) => item.supplier === supplier).reduce((sum, { onHand, unitPrice }) => sum + onHand * unitPrice, 0),
    program: `const { items } = await list_items({ supplier: ${js(supplier)} });
return String(items.reduce((sum, { onHand, unitPrice }) => sum + onHand * unitPrice, 0));`,
  };
}

function takeOverCount(name: string): WorkdayDraft {
  return {
    template: "stock-count",
    question: `${name} has counted parts and sent us the right numbers by mail. Correct the number on hand of each part for which it differs.`,
    edit: ({ items, mails }) => {
      const text = mails.find(({ subject }) => subject === "Stock count")?.body ?? "";
      for (const [, sku, count] of text.matchAll(/^(\S+): (\d+)$/gm)) {
        for (const item of items) if (item.sku === sku) item.onHand = Number(count);
      }
    },
    program: `const [{ people }, { items }] = await Promise.all([list_people({}), list_items({})]);
const { mails } = await list_mails({ from: people.find((person) => person.name === ${js(name)}).email });
const { body } = await read_mail({ id: mails.find(({ subject }) => /count/i.test(subject)).id });
const counts = body.split("\\n").map((line) => line.match(/^(\\S+): (\\d+)$/)).filter((match) => match !== null);
const wrong = counts.filter(([, sku, count]) => items.find((item) => item.sku === sku).onHand !== Number(count));
await Promise.all(wrong.map(([, sku, count]) => set_on_hand({ sku, onHand: Number(count) })));
return "done";`,
  };
}

function howManyClocks(parts: readonly [Item, Item, Item]): WorkdayDraft {
  const [a, b, c] = parts;
  return {
    template: "how-many",
    question: `A clock takes 2 of part ${a.sku}, 1 of part ${b.sku} and 3 of part ${c.sku}. How many such clocks can we make of what is on hand? Answer with the number alone.`,
    answer: Math.min(Math.floor(a.onHand / 2), b.onHand, Math.floor(c.onHand / 3)),
    program: `const { items } = await list_items({});
const needed = { ${js(a.sku)}: 2, ${js(b.sku)}: 1, ${js(c.sku)}: 3 };
return String(Math.min(...Object.entries(needed).map(([sku, count]) => Math.floor(items.find((item) => item.sku === sku).onHand / count))));`,
  };
}
