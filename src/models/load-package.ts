import { ModelError } from "../base/errors.js";

/** Loads an optional package. @throws ModelError saying what to install when it is not there. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (
      code !== "ERR_MODULE_NOT_FOUND" &&
      code !== "MODULE_NOT_FOUND" &&
      !/cannot find (?:module|package)|failed to resolve/i.test(String(cause))
    )
      throw cause;
    throw new ModelError({
      message: `This model needs the package ${name}; install it with: npm install ${name}`,
      errorClass: "invalid_request",
    });
  }
}
