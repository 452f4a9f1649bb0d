import { bombs } from "./bombs.ts";
import { hostileTests } from "./hostile-tests.ts";

hostileTests(bombs);
