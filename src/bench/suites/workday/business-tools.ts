import { z } from "zod";
import { type AgentTool, createTool } from "../../../base/tool.js";
import type { Company } from "./company.js";
import { done, found, listOf } from "./tool-parts.js";

/** Tools for tickets, stock and invoices. */
export function businessTools(company: () => Company): AgentTool[] {
  return [...ticketTools(company), ...stockTools(company), ...invoiceTools(company)];
}

const ticketStatus = z.enum(["open", "waiting", "closed"]);
const priority = z.enum(["low", "normal", "high"]);

function ticketTools(company: () => Company): AgentTool[] {
  const ticket = (id: string) =>
    found(
      company().tickets.find((each) => each.id === id),
      `ticket ${id}`,
    );
  return [
    createTool({
      name: "list_tickets",
      description: "Lists the tickets that customers opened, without their comments. Each filter may be left out.",
      inputSchema: z.object({
        status: ticketStatus.optional(),
        customer: z.string().optional().describe("Name of the customer."),
        assignee: z.string().optional().describe("E-mail address of the person who has the ticket."),
      }),
      outputSchema: listOf("tickets", {
        id: z.string(),
        customer: z.string(),
        subject: z.string(),
        status: ticketStatus,
        priority,
        assignee: z.string().nullable().describe("null: nobody has it"),
        openedOn: z.string(),
      }),
      execute: ({ status, customer, assignee }) => ({
        tickets: company()
          .tickets.filter((each) => (status ?? each.status) === each.status && (customer ?? each.customer) === each.customer)
          .filter((each) => assignee === undefined || each.assignee === assignee)
          .map(({ comments: _, ...rest }) => rest),
      }),
    }),
    createTool({
      name: "read_ticket",
      description: "Reads a ticket with its comments, the newest last.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({
        id: z.string(),
        customer: z.string(),
        subject: z.string(),
        status: ticketStatus,
        priority,
        assignee: z.string().nullable(),
        openedOn: z.string(),
        comments: z.array(z.string()),
      }),
      execute: ({ id }) => ticket(id),
    }),
    createTool({
      name: "update_ticket",
      description: "Changes status, priority or assignee of a ticket. What is left out stays as it is.",
      inputSchema: z.object({
        id: z.string(),
        status: ticketStatus.optional(),
        priority: priority.optional(),
        assignee: z.string().optional(),
      }),
      outputSchema: done,
      execute: ({ id, ...rest }) => {
        const { assignee } = rest;
        if (assignee !== undefined)
          found(
            company().people.find(({ email }) => email === assignee),
            `person with the address ${assignee}`,
          );
        Object.assign(ticket(id), Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)));
        return { done: true };
      },
    }),
    createTool({
      name: "comment_ticket",
      description: "Adds a comment to a ticket. The customer can read it.",
      inputSchema: z.object({ id: z.string(), text: z.string() }),
      outputSchema: done,
      execute: ({ id, text }) => {
        ticket(id).comments.push(text);
        return { done: true };
      },
    }),
  ];
}

function stockTools(company: () => Company): AgentTool[] {
  const item = (sku: string) =>
    found(
      company().items.find((each) => each.sku === sku),
      `item ${sku}`,
    );
  return [
    createTool({
      name: "list_items",
      description: "Lists the parts in stock: how many are on hand, the minimum to keep, the supplier and the price of one.",
      inputSchema: z.object({ supplier: z.string().optional() }),
      outputSchema: listOf("items", {
        sku: z.string(),
        name: z.string(),
        supplier: z.string(),
        onHand: z.int(),
        minimum: z.int(),
        unitPrice: z.number(),
      }),
      execute: ({ supplier }) => ({ items: company().items.filter((each) => (supplier ?? each.supplier) === each.supplier) }),
    }),
    createTool({
      name: "list_orders",
      description: "Lists the orders at suppliers that have not arrived yet.",
      inputSchema: z.object({}),
      outputSchema: listOf("orders", { id: z.string(), sku: z.string(), quantity: z.int() }),
      execute: () => ({ orders: company().orders }),
    }),
    createTool({
      name: "order_item",
      description: "Orders a quantity of a part at its supplier.",
      inputSchema: z.object({ sku: z.string(), quantity: z.int().min(1) }),
      outputSchema: z.object({ id: z.string() }),
      execute: ({ sku, quantity }) => {
        const id = `PO-${71 + company().orders.length}`;
        company().orders.push({ id, sku: item(sku).sku, quantity });
        return { id };
      },
    }),
    createTool({
      name: "set_on_hand",
      description: "Corrects how many of a part are on hand.",
      inputSchema: z.object({ sku: z.string(), onHand: z.int().min(0) }),
      outputSchema: done,
      execute: ({ sku, onHand }) => {
        item(sku).onHand = onHand;
        return { done: true };
      },
    }),
  ];
}

function invoiceTools(company: () => Company): AgentTool[] {
  const invoice = (number: string) =>
    found(
      company().invoices.find((each) => each.number === number),
      `invoice ${number}`,
    );
  const status = z.enum(["open", "paid", "void"]);
  const change = (name: string, description: string, apply: (number: string) => void) =>
    createTool({
      name,
      description,
      inputSchema: z.object({ number: z.string().describe("Number of the invoice, for example INV-4101.") }),
      outputSchema: done,
      execute: ({ number }) => {
        apply(number);
        return { done: true };
      },
    });
  return [
    createTool({
      name: "list_invoices",
      description: "Lists the invoices to customers by number. An open invoice is overdue when its due day is before today.",
      inputSchema: z.object({ status: status.optional(), customer: z.string().optional().describe("Name of the customer.") }),
      outputSchema: listOf("invoices", {
        number: z.string(),
        customer: z.string(),
        amount: z.number().describe("in euro"),
        dueOn: z.string(),
        status,
        reminders: z.int().describe("how many were sent"),
      }),
      execute: (input) => ({
        invoices: company().invoices.filter(
          (each) => (input.status ?? each.status) === each.status && (input.customer ?? each.customer) === each.customer,
        ),
      }),
    }),
    change("mark_paid", "Marks an invoice as paid.", (number) => {
      invoice(number).status = "paid";
    }),
    change("void_invoice", "Voids an invoice, so that nobody has to pay it.", (number) => {
      invoice(number).status = "void";
    }),
    change("send_reminder", "Sends the customer one more reminder of an invoice.", (number) => {
      invoice(number).reminders += 1;
    }),
  ];
}
