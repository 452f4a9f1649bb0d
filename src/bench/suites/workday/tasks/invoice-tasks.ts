import { addDays, type Company, type Invoice, today } from "../company.js";
import type { WorkdayDraft } from "../workday-task.js";
import { at, js } from "./draft-parts.js";

/** Tasks about what customers owe. */
export function invoiceTasks(company: Company): WorkdayDraft[] {
  const customer = (index: number) => at(company.customers, index).name;
  return [
    ...[0, 1, 6].map((index) => remindOverdue(customer(index))),
    overdueTotal(company, customer(2)),
    ...[8, 9, 7].map((index) => bookPayment(customer(index))),
    ...[4, 5, 0].map((index) => voidDuplicate(customer(index))),
    mostOwing(company),
    writeOff(company, 2),
    writeOff(company, 3),
  ];
}

const overdue = ({ status, dueOn }: Invoice) => status === "open" && dueOn < today;

function remindOverdue(customer: string): WorkdayDraft {
  return {
    template: "remind-overdue",
    question: `Send ${customer} one reminder for each of its open invoices that are overdue.`,
    edit: ({ invoices }) => {
      for (const invoice of invoices) if (invoice.customer === customer && overdue(invoice)) invoice.reminders += 1;
    },
    program: `const { invoices } = await list_invoices({ status: "open", customer: ${js(customer)} });
const late = invoices.filter((invoice) => invoice.dueOn < ${js(today)});
await Promise.all(late.map(({ number }) => send_reminder({ number })));
return late.length === 0 ? "nothing to do" : "done";`,
  };
}

function overdueTotal({ invoices }: Company, customer: string): WorkdayDraft {
  return {
    template: "overdue-total",
    question: `How much does ${customer} owe us in invoices that are overdue, in euro? Answer with the number alone.`,
    answer: invoices.filter((invoice) => invoice.customer === customer && overdue(invoice)).reduce((sum, { amount }) => sum + amount, 0),
    program: `const { invoices } = await list_invoices({ status: "open", customer: ${js(customer)} });
return String(invoices.filter((invoice) => invoice.dueOn < ${js(today)}).reduce((sum, { amount }) => sum + amount, 0));`,
  };
}

function bookPayment(customer: string): WorkdayDraft {
  return {
    template: "book-payment",
    question: `${customer} wrote to us which invoices it has paid. Mark those invoices as paid that are still open.`,
    edit: ({ mails, invoices, customers }) => {
      const from = customers.find(({ name }) => name === customer)?.email;
      const text = mails.find((mail) => mail.from === from)?.body ?? "";
      for (const invoice of invoices) if (text.includes(invoice.number) && invoice.status === "open") invoice.status = "paid";
    },
    program: `const [{ customers }, { invoices }] = await Promise.all([list_customers({}), list_invoices({ customer: ${js(customer)} })]);
const { mails } = await list_mails({ from: customers.find(({ name }) => name === ${js(customer)}).email });
const letters = await Promise.all(mails.map(({ id }) => read_mail({ id })));
const paid = invoices.filter(({ number, status }) => status === "open" && letters.some(({ body }) => body.includes(number)));
await Promise.all(paid.map(({ number }) => mark_paid({ number })));
return paid.length === 0 ? "nothing to do" : "done";`,
  };
}

function voidDuplicate(customer: string): WorkdayDraft {
  return {
    template: "void-duplicate",
    question: `Somebody may have written an invoice to ${customer} twice: the same amount and the same due day, both open. If so, void the one with the higher number.`,
    edit: ({ invoices }) => {
      const open = invoices.filter((invoice) => invoice.customer === customer && invoice.status === "open");
      for (const later of open) {
        const twin = open.find((other) => other.number < later.number && other.amount === later.amount && other.dueOn === later.dueOn);
        if (twin !== undefined) later.status = "void";
      }
    },
    program: `const { invoices } = await list_invoices({ status: "open", customer: ${js(customer)} });
const twins = invoices.filter((a) => invoices.some((b) => b.number < a.number && b.amount === a.amount && b.dueOn === a.dueOn));
for (const { number } of twins) await void_invoice({ number });
return twins.length === 0 ? "nothing to do" : "done";`,
  };
}

function mostOwing({ invoices }: Company): WorkdayDraft {
  const open = invoices.filter(({ status }) => status === "open");
  const largest = open.reduce((most, invoice) => (invoice.amount > most.amount ? invoice : most));
  return {
    template: "largest-invoice",
    question: "To which customer did we write the open invoice with the largest amount? Answer with the customer's name alone.",
    answer: largest.customer,
    program: `const { invoices } = await list_invoices({ status: "open" });
return invoices.reduce((most, invoice) => (invoice.amount > most.amount ? invoice : most)).customer;`,
  };
}

function writeOff({ people }: Company, reminders: number): WorkdayDraft {
  const lead = at(people, 5);
  const since = addDays(today, -30);
  return {
    template: "collect-debts",
    question: `For each open invoice that was due before ${since} and of which ${reminders} or more reminders were sent, send a mail to ${lead.name} with the subject "Collect" followed by a space and the number of the invoice, and with the amount in euro as its text, as a number alone.`,
    edit: ({ invoices, mails }) => {
      const bad = invoices.filter((invoice) => invoice.status === "open" && invoice.dueOn < since && invoice.reminders >= reminders);
      for (const { number, amount } of bad) {
        const id = `M-new-${number}`;
        mails.push({
          id,
          folder: "sent",
          from: "office@haldenrook.example",
          to: [lead.email],
          subject: `Collect ${number}`,
          body: String(amount),
        });
      }
    },
    program: `const [{ invoices }, { people }] = await Promise.all([list_invoices({ status: "open" }), list_people({})]);
const { email } = people.find(({ name }) => name === ${js(lead.name)});
const bad = invoices.filter((invoice) => invoice.dueOn < ${js(since)} && invoice.reminders >= ${reminders});
await Promise.all(bad.map(({ number, amount }) => send_mail({ to: [email], subject: "Collect " + number, body: String(amount) })));
return bad.length === 0 ? "nothing to do" : "done";`,
  };
}
