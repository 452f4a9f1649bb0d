import { z } from "zod";

/** A day as text. */
export const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .describe("YYYY-MM-DD");

/** A time of day as text. */
export const time = z
  .string()
  .regex(/^\d{2}:\d{2}$/)
  .describe("HH:MM, from 00:00 to 23:59");

/** What a tool returns that has nothing to say. */
export const done = z.object({ done: z.boolean() });

/** The schema of a list under a name: results that are objects have room for more. */
export function listOf(name: string, fields: z.core.$ZodLooseShape): z.ZodObject {
  return z.object({ [name]: z.array(z.object(fields)) });
}

/** @throws Error, which the model gets to read, when there is no such thing. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`There is no ${what}.`);
  return value;
}
