import type { Ticket } from "../company.js";

/** A value as JavaScript source. */
export function js(value: string | number | readonly string[]): string {
  return JSON.stringify(value);
}

/** @throws RangeError when the list is too short for the task. */
export function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`There is no entry ${index} among ${list.length}.`);
  return value;
}

/** Tickets that are somebody's work. */
export function isUnfinished({ status }: Ticket): boolean {
  return status !== "closed";
}

/** In programs: the address of a person by name. */
export const emailOf =
  "const { people } = await list_people({});\nconst emailOf = (name) => people.find((person) => person.name === name).email;";
