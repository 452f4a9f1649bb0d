import { escapes } from "./escapes.ts";
import { hostileTests } from "./hostile-tests.ts";

hostileTests(escapes);
