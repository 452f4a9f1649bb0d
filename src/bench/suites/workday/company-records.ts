import type { Random } from "../../random.js";
import { addDays, type Customer, type Invoice, type Item, type Order, type Person, type Ticket, today } from "./company.js";

const names =
  "Ada Brandt,Bruno Castell,Clara Dorn,Dario Esposito,Edith Falk,Felix Grau,Greta Holm,Hugo Ivers,Ines Jansen,Jonas Keller,Karin Lund,Leo Marek,Mona Nyberg,Nils Oster,Olga Petrov,Paul Quist,Rosa Stein,Sven Tamm".split(
    ",",
  );

const teams = "office support support support support sales sales sales warehouse warehouse workshop workshop workshop office".split(
  " ",
) as readonly Person["team"][];

const customerNames =
  "Amber Bay Marina,Birkholm Yacht Club,Cape Tarn Hotel,Dunwick Harbour Office,Elmsea Museum,Fairlight Books,Gullhaven Ferries,Heron Island School,Inverlee Spa,Juniper Rock Inn,Kelpsund Aquarium,Long Quay Stores,Mussel Point Cafe,Northsand Rowing,Oyster Lane Gallery".split(
    ",",
  );

const parts =
  "brass dial,steel hand,oak case,tide wheel,moon disc,glass front,quartz drive,coil spring,wall hook,balance cock,felt pad,packing box,name plate,setting key,copper pin,sealing ring".split(
    ",",
  );

const suppliers = ["Corvin Metals", "Lowther Woods", "Pelham Glass", "Strand Supply"];

const complaints =
  "clock runs fast,glass is cracked,delivery is late,wrong dial,hand is loose,asks for a second key,moon disc is stuck,case has a scratch,asks for a repair,address has changed".split(
    ",",
  );

/** The head of the company first, then four of support, three of sales, two of the warehouse, three of the workshop, one more of the office. */
export function makePeople(random: Random): Person[] {
  const picked = random.sample(names, teams.length);
  const email = (name: string) => `${name.toLowerCase().replace(" ", ".")}@haldenrook.example`;
  const leads = new Map<string, string>();
  return picked.map((name, index) => {
    const team = teams[index] as Person["team"];
    const head = email(picked[0] as string);
    const manager = index === 0 ? null : (leads.get(team) ?? head);
    if (index > 0 && !leads.has(team)) leads.set(team, email(name));
    return { name, email: email(name), team, manager };
  });
}

/** Twelve customers. */
export function makeCustomers(random: Random): Customer[] {
  return random.sample(customerNames, 12).map((name) => ({ name, email: `accounts@${name.toLowerCase().replaceAll(" ", "-")}.example` }));
}

/** Days past the due day (negative: still to come), reminders, and status of the invoices of each customer, in the order of the customers. */
// biome-ignore format: a table, one row for each customer
const invoicePlan: readonly (readonly (readonly [number, number, Invoice["status"]])[])[] = [
  [[12, 0, "open"], [5, 1, "open"], [-20, 0, "open"], [40, 1, "paid"]],
  [[20, 1, "open"], [3, 0, "open"], [9, 0, "open"], [-7, 0, "open"]],
  [[8, 0, "open"], [-14, 0, "open"], [60, 2, "paid"]],
  [[17, 1, "open"], [2, 0, "open"], [25, 0, "void"]],
  [[-15, 0, "open"], [-15, 0, "open"], [30, 0, "paid"]],
  [[-9, 0, "open"], [-9, 0, "open"], [-18, 0, "open"]],
  [[-11, 0, "open"], [-25, 0, "open"], [14, 0, "paid"]],
  [[-4, 0, "open"], [21, 1, "paid"], [-30, 0, "open"]],
  [[-6, 0, "open"], [-12, 0, "open"], [-19, 0, "open"]],
  [[-8, 0, "open"], [-21, 0, "open"], [33, 0, "paid"]],
  [[44, 2, "open"], [38, 1, "open"], [-3, 0, "open"]],
  [[51, 3, "open"], [18, 2, "open"], [70, 2, "paid"]],
];

/** Invoices with different amounts, except that the first two of customers 4 and 5 are the same but for their number. */
export function makeInvoices(customers: readonly Customer[], random: Random): Invoice[] {
  const count = invoicePlan.flat().length;
  const numbers = random.shuffle(Array.from({ length: count }, (_, index) => `INV-${4101 + index}`));
  const amounts = random.sample(
    Array.from({ length: 400 }, (_, index) => 120 + index * 7),
    count,
  );
  const invoices = invoicePlan.flatMap((plan, index) =>
    plan.map(([daysPast, reminders, status], place) => ({
      number: numbers.pop() as string,
      customer: customers[index]?.name as string,
      amount: place === 1 && (index === 4 || index === 5) ? Number.NaN : (amounts.pop() as number),
      dueOn: addDays(today, -daysPast),
      status,
      reminders,
    })),
  );
  return invoices
    .map((invoice, index) => (Number.isNaN(invoice.amount) ? { ...invoice, amount: invoices[index - 1]?.amount as number } : invoice))
    .sort((a, b) => a.number.localeCompare(b.number));
}

/** Customer, status, priority, place of the assignee in support (-1: nobody), age in days, and the last comment. */
const ticketPlan: readonly (readonly [number, Ticket["status"], Ticket["priority"], number, number, string?])[] = [
  [0, "open", "normal", -1, 3],
  [0, "open", "high", -1, 6],
  [0, "open", "normal", 0, 16],
  [1, "open", "low", -1, 1],
  [1, "open", "normal", -1, 22],
  [1, "closed", "normal", 1, 50],
  [2, "open", "normal", 0, 12],
  [2, "waiting", "normal", 1, 19, "Solved, thank you."],
  [3, "open", "low", 0, 28],
  [3, "waiting", "low", 2, 33, "We are still looking at it."],
  [4, "open", "normal", 1, 9],
  [4, "waiting", "normal", 2, 25, "Solved, thank you."],
  [5, "open", "high", 1, 31],
  [5, "open", "normal", 1, 4],
  [6, "open", "normal", 2, 18],
  [6, "waiting", "high", 0, 7, "Please send a photograph."],
  [7, "open", "low", 2, 10],
  [7, "closed", "low", 3, 80],
  [8, "open", "normal", 2, 8],
  [8, "waiting", "low", 3, 40, "Solved, thank you."],
  [9, "open", "normal", 3, 5],
  [9, "open", "normal", 2, 2],
  [10, "open", "low", 0, 14],
  [10, "open", "normal", 1, 20],
  [11, "open", "high", 2, 11],
  [11, "closed", "high", 0, 65],
];

/** Requests of the customers. The fourth of support has the fewest open ones. */
export function makeTickets({
  customers,
  people,
  random,
}: {
  customers: readonly Customer[];
  people: readonly Person[];
  random: Random;
}): Ticket[] {
  const support = people.filter(({ team }) => team === "support");
  const ids = random.shuffle(Array.from({ length: ticketPlan.length }, (_, index) => `T-${311 + index}`));
  return ticketPlan
    .map(([customer, status, priority, assignee, age, comment], index) => ({
      id: ids[index] as string,
      customer: customers[customer]?.name as string,
      subject: random.pick(complaints),
      status,
      priority,
      assignee: support[assignee]?.email ?? null,
      openedOn: addDays(today, -age),
      comments: comment === undefined ? [] : ["Thank you for your message.", comment],
    }))
    .sort((a, b) => a.id.localeCompare(b.id));
}

/** Four parts of each of four suppliers: the first two are below their minimum, the first of the second supplier has run out. */
export function makeItems(random: Random): Item[] {
  const shuffled = random.shuffle(parts);
  return shuffled.map((name, index) => {
    const minimum = random.integer(12, 30);
    const place = index % 4;
    const onHand = index === 4 || index === 12 ? 0 : place < 2 ? random.integer(2, minimum - 3) : minimum + random.integer(2, 40);
    const sku = `${name.slice(0, 2).toUpperCase()}${name.split(" ")[1]?.slice(0, 1).toUpperCase()}-${101 + index}`;
    return { sku, name, supplier: suppliers[Math.floor(index / 4)] as string, onHand, minimum, unitPrice: random.integer(2, 60) };
  });
}

/** Orders for the first part of each of the first two suppliers. */
export function makeOrders(items: readonly Item[], random: Random): Order[] {
  return [items[0], items[4]].map((item, index) => ({
    id: `PO-${71 + index}`,
    sku: item?.sku as string,
    quantity: random.integer(20, 40),
  }));
}
