import { addDays, type CalendarEvent, type Company, type Person, today } from "../company.js";
import type { WorkdayDraft } from "../workday-task.js";
import { at, emailOf, js } from "./draft-parts.js";

/** Tasks about meetings. */
export function calendarTasks(company: Company): WorkdayDraft[] {
  const person = (index: number) => at(company.people, index);
  const day = (days: number) => addDays(today, days);
  return [
    move({ title: "Fair preparation", from: day(2), to: day(5) }),
    ...[8, 10, 9].map((index) => cancelOf(person(index), day(1))),
    ...[[5, 8] as const, [10, 2] as const].map(([a, b]) => firstFreeHour(company, { a: person(a), b: person(b), day: day(1) })),
    invite(person(13), { title: "Morning round" }),
    invite(person(7), { title: "Year plan" }),
    ...[2, 7, 5].map((days) => resolveClash(day(days))),
    minutesOf(company, person(10), day(1)),
    whoIsFree(company, { team: "workshop", day: day(2) }),
    whoIsFree(company, { team: "sales", day: day(2) }),
  ];
}

const planned = ({ status }: CalendarEvent) => status === "planned";

function move({ title, from, to }: { title: string; from: string; to: string }): WorkdayDraft {
  return {
    template: "move-meeting",
    question: `Move the meeting "${title}" of ${from} to ${to}, at the same time of day and in the same room.`,
    edit: ({ events }) => {
      for (const event of events) if (event.title === title && event.day === from) event.day = to;
    },
    program: `const { events } = await list_events({ day: ${js(from)} });
await update_event({ id: events.find(({ title }) => title === ${js(title)}).id, day: ${js(to)} });
return "done";`,
  };
}

function cancelOf({ name, email }: Person, day: string): WorkdayDraft {
  return {
    template: "cancel-day",
    question: `${name} is away on ${day}. Cancel the meetings of that day that ${name} organises; those that ${name} only attends take place.`,
    edit: ({ events }) => {
      for (const event of events) if (event.day === day && event.organizer === email) event.status = "cancelled";
    },
    program: `${emailOf}
const { events } = await list_events({ day: ${js(day)} });
const own = events.filter(({ organizer, status }) => organizer === emailOf(${js(name)}) && status === "planned");
await Promise.all(own.map(({ id }) => cancel_event({ id })));
return own.length === 0 ? "nothing to do" : "done";`,
  };
}

function firstFreeHour({ events }: Company, { a, b, day }: { a: Person; b: Person; day: string }): WorkdayDraft {
  const busy = events.filter((event) => planned(event) && event.day === day && [a, b].some(({ email }) => event.attendees.includes(email)));
  const hours = Array.from({ length: 8 }, (_, index) => 9 + index);
  const hour = hours.find((start) => !busy.some((event) => event.start < clock(start + 1) && event.end > clock(start))) ?? Number.NaN;
  return {
    template: "first-free-hour",
    question: `Put a meeting "Talk" of one hour into the calendar for ${day}, organised by ${a.name} and with ${b.name}, room Desk. It starts at the first full hour from 09:00 on at which neither of the two has another meeting at any time in that hour.`,
    edit: (state) => {
      const [organizer, other] = [a.email, b.email];
      const when = { day, start: clock(hour), end: clock(hour + 1) };
      state.events.push({ id: "E-new", title: "Talk", ...when, organizer, attendees: [organizer, other], room: "Desk", status: "planned" });
    },
    program: `${emailOf}
const pair = [emailOf(${js(a.name)}), emailOf(${js(b.name)})];
const { events } = await list_events({ day: ${js(day)} });
const busy = events.filter(({ status, attendees }) => status === "planned" && pair.some((email) => attendees.includes(email)));
const clock = (hour) => String(hour).padStart(2, "0") + ":00";
let hour = 9;
while (busy.some(({ start, end }) => start < clock(hour + 1) && end > clock(hour))) hour += 1;
await create_event({ title: "Talk", day: ${js(day)}, start: clock(hour), end: clock(hour + 1), organizer: pair[0], attendees: pair, room: "Desk" });
return "done";`,
  };
}

function invite({ name, email }: Person, { title }: { title: string }): WorkdayDraft {
  return {
    template: "invite",
    question: `From tomorrow on, ${name} takes part in each meeting with the title "${title}". Add ${name} to those meetings; nobody else drops out.`,
    edit: ({ events }) => {
      for (const event of events)
        if (event.title === title && event.day > today && !event.attendees.includes(email)) event.attendees.push(email);
    },
    program: `${emailOf}
const { events } = await list_events({});
const wanted = events.filter(({ title, day }) => title === ${js(title)} && day > ${js(today)});
await Promise.all(wanted.map(({ id, attendees }) => update_event({ id, attendees: [...attendees, emailOf(${js(name)})] })));
return wanted.length === 0 ? "nothing to do" : "done";`,
  };
}

function resolveClash(day: string): WorkdayDraft {
  return {
    template: "room-clash",
    question: `Look whether two meetings of ${day} are in one room at overlapping times. If so, put that of the two with the higher id into the room Cellar.`,
    edit: ({ events }) => {
      const all = events.filter((event) => planned(event) && event.day === day);
      const clash = all.find((event) => all.some((other) => other.id < event.id && meet(event, other)));
      if (clash !== undefined) clash.room = "Cellar";
    },
    program: `const { events } = await list_events({ day: ${js(day)} });
const meet = (a, b) => a.room === b.room && a.start < b.end && b.start < a.end;
const clash = events.find((event) => events.some((other) => other.id < event.id && meet(event, other)));
if (clash === undefined) return "nothing to do";
await update_event({ id: clash.id, room: "Cellar" });
return "done";`,
  };
}

function minutesOf({ events }: Company, { name, email }: Person, day: string): WorkdayDraft {
  const own = events.filter((event) => planned(event) && event.day === day && event.attendees.includes(email));
  return {
    template: "minutes",
    question: `How many minutes do the meetings take together that ${name} attends on ${day}? Answer with the number alone.`,
    answer: own.reduce((sum, { start, end }) => sum + minutes(end) - minutes(start), 0),
    program: `${emailOf}
const { events } = await list_events({ day: ${js(day)}, attendee: emailOf(${js(name)}) });
const minutes = (time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
return String(events.filter(({ status }) => status === "planned").reduce((sum, { start, end }) => sum + minutes(end) - minutes(start), 0));`,
  };
}

function whoIsFree({ events, people }: Company, { team, day }: { team: Person["team"]; day: string }): WorkdayDraft {
  const busy = new Set(events.filter((event) => planned(event) && event.day === day).flatMap(({ attendees }) => attendees));
  return {
    template: "who-is-free",
    question: `One person of the ${team} team has no meeting on ${day}. Who is it? Answer with the name alone.`,
    answer: people.filter((person) => person.team === team && !busy.has(person.email))[0]?.name ?? "",
    program: `const [{ people }, { events }] = await Promise.all([list_people({ team: ${js(team)} }), list_events({ day: ${js(day)} })]);
const busy = new Set(events.filter(({ status }) => status === "planned").flatMap(({ attendees }) => attendees));
return people.find(({ email }) => !busy.has(email)).name;`,
  };
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

function minutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function meet(a: CalendarEvent, b: CalendarEvent): boolean {
  return a.room === b.room && a.start < b.end && b.start < a.end;
}
