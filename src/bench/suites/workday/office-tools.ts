import { z } from "zod";
import { type AgentTool, createTool } from "../../../base/tool.js";
import type { Company } from "./company.js";
import { officeAddress } from "./company-diary.js";
import { day, done, found, listOf, time } from "./tool-parts.js";

/** Tools for people, calendar and mail. */
export function officeTools(company: () => Company): AgentTool[] {
  return [...peopleTools(company), ...calendarTools(company), ...mailTools(company)];
}

function peopleTools(company: () => Company): AgentTool[] {
  return [
    createTool({
      name: "list_people",
      description: "Lists the people who work here, with e-mail address, team and the address of their manager.",
      inputSchema: z.object({ team: z.enum(["support", "sales", "warehouse", "workshop", "office"]).optional() }),
      outputSchema: listOf("people", { name: z.string(), email: z.string(), team: z.string(), manager: z.string().nullable() }),
      execute: ({ team }) => ({ people: company().people.filter((person) => team === undefined || person.team === team) }),
    }),
    createTool({
      name: "list_customers",
      description: "Lists the customers with their e-mail addresses.",
      inputSchema: z.object({}),
      outputSchema: listOf("customers", { name: z.string(), email: z.string() }),
      execute: () => ({ customers: company().customers }),
    }),
  ];
}

const eventFields = {
  id: z.string(),
  title: z.string(),
  day: z.string(),
  start: z.string(),
  end: z.string(),
  organizer: z.string(),
  attendees: z.array(z.string()),
  room: z.string(),
  status: z.string(),
};

function calendarTools(company: () => Company): AgentTool[] {
  const addresses = z.array(z.string()).min(1).describe("E-mail addresses of people who work here.");
  const known = (emails: readonly string[]) => {
    for (const email of emails)
      found(
        company().people.find((person) => person.email === email),
        `person with the address ${email}`,
      );
    return [...emails];
  };
  const event = (id: string) =>
    found(
      company().events.find((each) => each.id === id),
      `event ${id}`,
    );
  return [
    createTool({
      name: "list_events",
      description: "Lists the meetings in the calendar, cancelled ones too, by day and start. Without a day, those of all days.",
      inputSchema: z.object({
        day: day.optional(),
        attendee: z.string().optional().describe("E-mail address: only meetings that this person attends."),
      }),
      outputSchema: listOf("events", eventFields),
      execute: (input) => ({
        events: company()
          .events.filter((each) => input.day === undefined || each.day === input.day)
          .filter(({ attendees }) => input.attendee === undefined || attendees.includes(input.attendee))
          .toSorted((a, b) => `${a.day} ${a.start} ${a.id}`.localeCompare(`${b.day} ${b.start} ${b.id}`)),
      }),
    }),
    createTool({
      name: "create_event",
      description: "Puts a meeting into the calendar. The organiser is one of the attendees.",
      inputSchema: z.object({
        title: z.string(),
        day,
        start: time,
        end: time,
        organizer: z.string(),
        attendees: addresses,
        room: z.string(),
      }),
      outputSchema: z.object({ id: z.string() }),
      execute: ({ organizer, attendees, ...rest }) => {
        const id = `E-${11 + company().events.length}`;
        company().events.push({ id, ...rest, organizer, attendees: known([...new Set([organizer, ...attendees])]), status: "planned" });
        return { id };
      },
    }),
    createTool({
      name: "update_event",
      description: "Changes a meeting: day, times, room or attendees. What is left out stays as it is.",
      inputSchema: z.object({
        id: z.string(),
        day: day.optional(),
        start: time.optional(),
        end: time.optional(),
        room: z.string().optional(),
        attendees: addresses.optional(),
      }),
      outputSchema: done,
      execute: ({ id, attendees, ...rest }) => {
        const changes = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        Object.assign(event(id), changes, attendees === undefined ? {} : { attendees: known(attendees) });
        return { done: true };
      },
    }),
    createTool({
      name: "cancel_event",
      description: "Cancels a meeting. It stays in the calendar with the status cancelled.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: done,
      execute: ({ id }) => {
        event(id).status = "cancelled";
        return { done: true };
      },
    }),
  ];
}

function mailTools(company: () => Company): AgentTool[] {
  const mail = (id: string) =>
    found(
      company().mails.find((each) => each.id === id),
      `mail ${id}`,
    );
  return [
    createTool({
      name: "list_mails",
      description: "Lists the mails of a folder of the office's mailbox, without their text.",
      inputSchema: z.object({
        folder: z.enum(["inbox", "archive", "sent"]).default("inbox"),
        from: z.string().optional().describe("Only from this e-mail address."),
      }),
      outputSchema: listOf("mails", { id: z.string(), from: z.string(), to: z.array(z.string()), subject: z.string() }),
      execute: ({ folder, from }) => ({
        mails: company()
          .mails.filter((each) => each.folder === folder && (from === undefined || each.from === from))
          .map(({ id, from: sender, to, subject }) => ({ id, from: sender, to, subject })),
      }),
    }),
    createTool({
      name: "read_mail",
      description: "Reads a mail with its text.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({
        id: z.string(),
        folder: z.string(),
        from: z.string(),
        to: z.array(z.string()),
        subject: z.string(),
        body: z.string(),
      }),
      execute: ({ id }) => mail(id),
    }),
    createTool({
      name: "send_mail",
      description: "Sends a mail from the office's address.",
      inputSchema: z.object({ to: z.array(z.string()).min(1), subject: z.string(), body: z.string() }),
      outputSchema: z.object({ id: z.string() }),
      execute: (input) => {
        const id = `M-${51 + company().mails.length}`;
        company().mails.push({ id, folder: "sent", from: officeAddress, ...input });
        return { id };
      },
    }),
    createTool({
      name: "archive_mail",
      description: "Moves a mail from the inbox to the archive.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: done,
      execute: ({ id }) => {
        mail(id).folder = "archive";
        return { done: true };
      },
    }),
  ];
}
