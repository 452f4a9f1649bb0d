import { addDays, type Company, type Ticket, today } from "../company.js";
import type { WorkdayDraft } from "../workday-task.js";
import { at, emailOf, js } from "./draft-parts.js";

/** Tasks about requests of customers. */
export function ticketTasks(company: Company): WorkdayDraft[] {
  const { customers, people } = company;
  const customer = (index: number) => at(customers, index).name;
  return [
    ...[0, 1, 6].map((index) => assignUnassigned(customer(index), { to: at(people, 2) })),
    ...[20, 27, 40].map((days) => raiseOld(addDays(today, -days))),
    closeSolved("Solved, thank you."),
    ...[1, 2].map((index) => handOver({ from: at(people, index), to: at(people, 3) })),
    assignLeastBusy(company, customer(4)),
    countOpen(company, at(people, 2).name),
    commentNewest(customer(5)),
    oldestOpen(company),
  ];
}

interface Named {
  readonly name: string;
  readonly email: string;
}

const isOpen = ({ status }: Ticket) => status === "open";

function assignUnassigned(customer: string, { to }: { to: Named }): WorkdayDraft {
  return {
    template: "assign-unassigned",
    question: `Give each open ticket of ${customer} that nobody has to ${to.name}.`,
    edit: ({ tickets }) => {
      for (const ticket of tickets.filter(isOpen)) if (ticket.customer === customer) ticket.assignee ??= to.email;
    },
    program: `${emailOf}
const { tickets } = await list_tickets({ status: "open", customer: ${js(customer)} });
const free = tickets.filter(({ assignee }) => assignee === null);
await Promise.all(free.map(({ id }) => update_ticket({ id, assignee: emailOf(${js(to.name)}) })));
return free.length === 0 ? "nothing to do" : "done";`,
  };
}

function raiseOld(before: string): WorkdayDraft {
  return {
    template: "raise-old",
    question: `Set the priority of each open ticket that was opened before ${before} to high, if it is not high already. Leave waiting and closed tickets alone.`,
    edit: ({ tickets }) => {
      for (const ticket of tickets.filter(isOpen)) if (ticket.openedOn < before) ticket.priority = "high";
    },
    program: `const { tickets } = await list_tickets({ status: "open" });
const old = tickets.filter(({ openedOn, priority }) => openedOn < ${js(before)} && priority !== "high");
await Promise.all(old.map(({ id }) => update_ticket({ id, priority: "high" })));
return old.length === 0 ? "nothing to do" : "done";`,
  };
}

function closeSolved(words: string): WorkdayDraft {
  return {
    template: "close-solved",
    question: `Close each waiting ticket whose last comment is "${words}"`,
    edit: ({ tickets }) => {
      for (const ticket of tickets) if (ticket.status === "waiting" && ticket.comments.at(-1) === words) ticket.status = "closed";
    },
    program: `const { tickets } = await list_tickets({ status: "waiting" });
const whole = await Promise.all(tickets.map(({ id }) => read_ticket({ id })));
const solved = whole.filter(({ comments }) => comments.at(-1) === ${js(words)});
await Promise.all(solved.map(({ id }) => update_ticket({ id, status: "closed" })));
return solved.length === 0 ? "nothing to do" : "done";`,
  };
}

function handOver({ from, to }: { from: Named; to: Named }): WorkdayDraft {
  return {
    template: "hand-over",
    question: `${from.name} is ill. Hand all open tickets of ${from.name} over to ${to.name}; those that wait stay where they are.`,
    edit: ({ tickets }) => {
      for (const ticket of tickets.filter(isOpen)) if (ticket.assignee === from.email) ticket.assignee = to.email;
    },
    program: `${emailOf}
const { tickets } = await list_tickets({ status: "open", assignee: emailOf(${js(from.name)}) });
await Promise.all(tickets.map(({ id }) => update_ticket({ id, assignee: emailOf(${js(to.name)}) })));
return tickets.length === 0 ? "nothing to do" : "done";`,
  };
}

function assignLeastBusy({ people, tickets }: Company, customer: string): WorkdayDraft {
  const load = (email: string) => tickets.filter((ticket) => isOpen(ticket) && ticket.assignee === email).length;
  const least = people
    .filter(({ team }) => team === "support")
    .reduce((best, person) => (load(person.email) < load(best.email) ? person : best));
  return {
    template: "least-busy",
    question: `Give the open ticket of ${customer} to whoever of the support team has the fewest open tickets now.`,
    edit: (state) => {
      for (const ticket of state.tickets.filter(isOpen)) if (ticket.customer === customer) ticket.assignee = least.email;
    },
    program: `const [{ people }, { tickets }] = await Promise.all([list_people({ team: "support" }), list_tickets({ status: "open" })]);
const load = ({ email }) => tickets.filter(({ assignee }) => assignee === email).length;
const least = people.reduce((best, person) => (load(person) < load(best) ? person : best));
const { id } = tickets.find((ticket) => ticket.customer === ${js(customer)});
await update_ticket({ id, assignee: least.email });
return "done";`,
  };
}

function countOpen({ people, tickets }: Company, name: string): WorkdayDraft {
  const email = people.find((person) => person.name === name)?.email;
  return {
    template: "count-open",
    question: `How many open tickets does ${name} have? Answer with the number alone.`,
    answer: tickets.filter((ticket) => isOpen(ticket) && ticket.assignee === email).length,
    program: `${emailOf}
const { tickets } = await list_tickets({ status: "open", assignee: emailOf(${js(name)}) });
return String(tickets.length);`,
  };
}

function commentNewest(customer: string): WorkdayDraft {
  return {
    template: "comment-newest",
    question: `Add the comment "We shall call you tomorrow." to that open ticket of ${customer} that was opened last.`,
    edit: ({ tickets }) => {
      const open = tickets.filter((ticket) => isOpen(ticket) && ticket.customer === customer);
      open.reduce((newest, ticket) => (ticket.openedOn > newest.openedOn ? ticket : newest)).comments.push("We shall call you tomorrow.");
    },
    program: `const { tickets } = await list_tickets({ status: "open", customer: ${js(customer)} });
const newest = tickets.reduce((last, ticket) => (ticket.openedOn > last.openedOn ? ticket : last));
await comment_ticket({ id: newest.id, text: "We shall call you tomorrow." });
return "done";`,
  };
}

function oldestOpen({ tickets }: Company): WorkdayDraft {
  return {
    template: "oldest-open",
    question: "Which open ticket was opened first of all? Answer with its id alone.",
    answer: tickets.filter(isOpen).reduce((oldest, ticket) => (ticket.openedOn < oldest.openedOn ? ticket : oldest)).id,
    program: `const { tickets } = await list_tickets({ status: "open" });
return tickets.reduce((oldest, ticket) => (ticket.openedOn < oldest.openedOn ? ticket : oldest)).id;`,
  };
}
