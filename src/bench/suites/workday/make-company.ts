import { Random } from "../../random.js";
import type { Company } from "./company.js";
import { makeEvents, makeMails } from "./company-diary.js";
import { makeCustomers, makeInvoices, makeItems, makeOrders, makePeople, makeTickets } from "./company-records.js";

/** The company of one seed: names, numbers and amounts differ, what is the matter does not. */
export function makeCompany(seed: number): Company {
  const random = new Random(seed, "workday");
  const people = makePeople(random);
  const customers = makeCustomers(random);
  const items = makeItems(random);
  const records = {
    people,
    customers,
    items,
    events: makeEvents(people),
    tickets: makeTickets({ customers, people, random }),
    orders: makeOrders(items, random),
    invoices: makeInvoices(customers, random),
  };
  return { ...records, mails: makeMails(records, random) };
}
