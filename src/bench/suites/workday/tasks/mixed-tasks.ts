import { addDays, type Company, type Customer, type Invoice, type Person, today } from "../company.js";
import { officeAddress } from "../company-diary.js";
import type { WorkdayDraft } from "../workday-task.js";
import { at, emailOf, js } from "./draft-parts.js";

/** Tasks that need more than one of the company's books. */
export function mixedTasks(company: Company): WorkdayDraft[] {
  const { customers, people } = company;
  return [
    remindInTickets(),
    remindInTickets("high"),
    leave({ who: at(people, 1), heir: at(people, 4) }),
    orderMissing(at(people, 8)),
    busiestDebtor(company),
    ...[3, 7].map((index) => callCustomer(at(customers, index))),
  ];
}

const overdue = ({ status, dueOn }: Invoice) => status === "open" && dueOn < today;
const reminder = "Please note that an invoice is overdue.";

function remindInTickets(priority?: "high"): WorkdayDraft {
  return {
    template: "remind-in-tickets",
    question: `Add the comment "${reminder}" to each open ticket ${priority === undefined ? "" : `of ${priority} priority `}whose customer has an open invoice that is overdue.`,
    edit: ({ tickets, invoices }) => {
      const late = new Set(invoices.filter(overdue).map(({ customer }) => customer));
      const asked = tickets.filter((ticket) => ticket.status === "open" && (priority ?? ticket.priority) === ticket.priority);
      for (const ticket of asked) if (late.has(ticket.customer)) ticket.comments.push(reminder);
    },
    program: `const [{ tickets }, { invoices }] = await Promise.all([list_tickets({ status: "open" }), list_invoices({ status: "open" })]);
const late = new Set(invoices.filter(({ dueOn }) => dueOn < ${js(today)}).map(({ customer }) => customer));
const wanted = tickets.filter(({ customer${priority === undefined ? "" : ", priority"} }) => late.has(customer)${priority === undefined ? "" : ` && priority === ${js(priority)}`});
await Promise.all(wanted.map(({ id }) => comment_ticket({ id, text: ${js(reminder)} })));
return wanted.length === 0 ? "nothing to do" : "done";`,
  };
}

function leave({ who, heir }: { who: Person; heir: Person }): WorkdayDraft {
  return {
    template: "leave",
    question: `${who.name} leaves us today. Give all tickets of ${who.name} that are not closed to ${heir.name}, and cancel the meetings that ${who.name} organises from tomorrow on.`,
    edit: ({ tickets, events }) => {
      for (const ticket of tickets) if (ticket.assignee === who.email && ticket.status !== "closed") ticket.assignee = heir.email;
      for (const event of events) if (event.organizer === who.email && event.day > today) event.status = "cancelled";
    },
    program: `${emailOf}
const [from, assignee] = [emailOf(${js(who.name)}), emailOf(${js(heir.name)})];
const [{ tickets }, { events }] = await Promise.all([list_tickets({ assignee: from }), list_events({})]);
const own = events.filter(({ organizer, day, status }) => organizer === from && day > ${js(today)} && status === "planned");
await Promise.all([
  ...tickets.filter(({ status }) => status !== "closed").map(({ id }) => update_ticket({ id, assignee })),
  ...own.map(({ id }) => cancel_event({ id })),
]);
return "done";`,
  };
}

function orderMissing({ name, email }: Person): WorkdayDraft {
  return {
    template: "order-missing",
    question: `For each part of which none is on hand and no order is on its way: order as many as its minimum, and send ${name} a mail with the subject "Ordered" and with the part's sku alone as its text.`,
    edit: ({ items, orders, mails }) => {
      for (const { sku, minimum } of items.filter((item) => item.onHand === 0 && !orders.some((order) => order.sku === item.sku))) {
        orders.push({ id: `PO-new-${sku}`, sku, quantity: minimum });
        mails.push({ id: `M-new-${sku}`, folder: "sent", from: officeAddress, to: [email], subject: "Ordered", body: sku });
      }
    },
    program: `${emailOf}
const [{ items }, { orders }] = await Promise.all([list_items({}), list_orders({})]);
const missing = items.filter(({ sku, onHand }) => onHand === 0 && !orders.some((order) => order.sku === sku));
await Promise.all(missing.flatMap(({ sku, minimum }) => [
  order_item({ sku, quantity: minimum }),
  send_mail({ to: [emailOf(${js(name)})], subject: "Ordered", body: sku }),
]));
return "done";`,
  };
}

function busiestDebtor({ customers, tickets, invoices }: Company): WorkdayDraft {
  const open = (name: string) => tickets.filter(({ customer, status }) => customer === name && status === "open").length;
  const debtors = customers
    .map(({ name }) => name)
    .filter((name) => invoices.some((invoice) => invoice.customer === name && overdue(invoice)));
  return {
    template: "busiest-debtor",
    question: "Which of the customers with an overdue invoice has the most open tickets? Answer with the customer's name alone.",
    answer: debtors.reduce((busiest, name) => (open(name) > open(busiest) ? name : busiest)),
    program: `const [{ tickets }, { invoices }] = await Promise.all([list_tickets({ status: "open" }), list_invoices({ status: "open" })]);
const debtors = [...new Set(invoices.filter(({ dueOn }) => dueOn < ${js(today)}).map(({ customer }) => customer))];
const open = (name) => tickets.filter(({ customer }) => customer === name).length;
return debtors.reduce((busiest, name) => (open(name) > open(busiest) ? name : busiest));`,
  };
}

function callCustomer({ name }: Customer): WorkdayDraft {
  const day = addDays(today, 1);
  return {
    template: "call-customer",
    question: `Put "Call ${name}" into the calendar for ${day}, 16:00 to 16:30, room Desk. Whoever has the open ticket of ${name} organises it; nobody else attends.`,
    edit: ({ events, tickets }) => {
      const organizer = tickets.find(({ customer, status }) => customer === name && status === "open")?.assignee ?? "";
      const when = { day, start: "16:00", end: "16:30" };
      events.push({ id: "E-new", title: `Call ${name}`, ...when, organizer, attendees: [organizer], room: "Desk", status: "planned" });
    },
    program: `const { tickets } = await list_tickets({ status: "open", customer: ${js(name)} });
const { assignee } = tickets[0];
await create_event({ title: ${js(`Call ${name}`)}, day: ${js(day)}, start: "16:00", end: "16:30", organizer: assignee, attendees: [assignee], room: "Desk" });
return "done";`,
  };
}
