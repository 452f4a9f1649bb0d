import { existsSync } from "node:fs";
import { join } from "node:path";

/** Folder with the data of M3ToolEval, which is no part of the project: beside the recorded streams. */
export const m3Folder = join(process.env["TRIACT_WIRE"] ?? join(import.meta.dirname, "../../../../shared/wire"), "../m3tooleval");

/** Whether it is here. */
export const hasM3Data = existsSync(m3Folder);
