/** Someone who works for the company. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly team: "support" | "sales" | "warehouse" | "workshop" | "office";
  /** E-mail address of the person's superior; null for the head of the company. */
  readonly manager: string | null;
}

/** A meeting. */
export interface CalendarEvent {
  readonly id: string;
  title: string;
  /** YYYY-MM-DD */
  day: string;
  /** HH:MM */
  start: string;
  end: string;
  organizer: string;
  attendees: string[];
  room: string;
  status: "planned" | "cancelled";
}

/** A message in the office's mailbox. */
export interface Mail {
  readonly id: string;
  folder: "inbox" | "archive" | "sent";
  from: string;
  to: string[];
  subject: string;
  body: string;
}

/** A request of a customer. */
export interface Ticket {
  readonly id: string;
  customer: string;
  subject: string;
  status: "open" | "waiting" | "closed";
  priority: "low" | "normal" | "high";
  /** E-mail address; null when nobody has it. */
  assignee: string | null;
  openedOn: string;
  comments: string[];
}

/** A part in the stock. */
export interface Item {
  readonly sku: string;
  name: string;
  supplier: string;
  onHand: number;
  minimum: number;
  unitPrice: number;
}

/** An order at a supplier that has not arrived yet. */
export interface Order {
  readonly id: string;
  sku: string;
  quantity: number;
}

/** What a customer owes. */
export interface Invoice {
  readonly number: string;
  customer: string;
  amount: number;
  dueOn: string;
  status: "open" | "paid" | "void";
  reminders: number;
}

/** A customer. */
export interface Customer {
  readonly name: string;
  readonly email: string;
}

/** Everything that the tools of the suite workday read and change. */
export interface Company {
  readonly people: readonly Person[];
  readonly customers: readonly Customer[];
  readonly events: CalendarEvent[];
  readonly mails: Mail[];
  readonly tickets: Ticket[];
  readonly items: Item[];
  readonly orders: Order[];
  readonly invoices: Invoice[];
}

/** The day on which all tasks take place, a Wednesday. */
export const today = "2031-03-05";

/** Another day, so many days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * What is different, one line for each field that changed and each thing that is new. Free text counts without regard to case, spacing and a full stop at
 * its end, and lists of addresses without regard to order; ids of new things do not count.
 */
export function changesBetween(before: Company, after: Company): string[] {
  return [
    ...listChanges("event", before.events, after.events, (event) => event.id),
    ...listChanges("mail", before.mails, after.mails, (mail) => mail.id),
    ...listChanges("ticket", before.tickets, after.tickets, (ticket) => ticket.id),
    ...listChanges("item", before.items, after.items, (item) => item.sku),
    ...listChanges("order", before.orders, after.orders, (order) => order.id),
    ...listChanges("invoice", before.invoices, after.invoices, (invoice) => invoice.number),
  ];
}

function listChanges<T extends object>(kind: string, before: readonly T[], after: readonly T[], key: (entry: T) => string): string[] {
  const earlier = new Map(before.map((entry) => [key(entry), entry]));
  return after.flatMap((entry) => {
    const old = earlier.get(key(entry));
    if (old === undefined) {
      const fields = Object.entries(entry)
        .filter(([, value]) => value !== key(entry))
        .sort(([a], [b]) => a.localeCompare(b));
      return [`new ${kind}: ${fields.map(([name, value]) => `${name} ${plain(value)}`).join(", ")}`];
    }
    return Object.entries(entry).flatMap(([name, value]) => {
      const was = plain((old as Record<string, unknown>)[name]);
      return was === plain(value) ? [] : [`${kind} ${key(entry)}: ${name} from ${was} to ${plain(value)}`];
    });
  });
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plain).sort().join(" | ")}]`;
  if (typeof value !== "string") return JSON.stringify(value);
  return JSON.stringify(value.trim().toLowerCase().replace(/\s+/g, " ").replace(/\.$/, ""));
}
