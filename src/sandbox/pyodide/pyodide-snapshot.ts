/**
 * A process that starts Python once and writes its memory to a file, from which every child then starts. No code of a guest has run in it.
 */
import { writeFileSync } from "node:fs";
import { makeSnapshot } from "./load-python.js";

const [, , folder = "", file = ""] = process.argv;
writeFileSync(file, await makeSnapshot({ folder }));
