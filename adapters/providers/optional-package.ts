import { ModelError } from "../../actors/llm/model-error.ts";
import { systemCode } from "../../store/files/system-code.ts";

/** A package that is installed only where it is used. */
export interface OptionalPackage<T> {
  readonly name: string;
  /** Versions that work. */
  readonly range: string;
  /** Imports it. */
  readonly load: () => Promise<T>;
}

/** Load an optional package. @throws ModelError `missing_package` */
export async function packageOf<T>({ name, range, load }: OptionalPackage<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (systemCode(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ModelError(
      "missing_package",
      `Expected the package ${name}, which is not installed. Install it beside signalbox: npm install "${name}@${range}" (-g where signalbox is installed with -g), and start signalbox again.`,
      { retryable: false, cause: error },
    );
  }
}

/**
 * The handler of an import of an optional package. A bundler takes an import that is caught for an optional one: without the
 * package, the bundle is made nevertheless.
 */
export const rethrow = (error: unknown): never => {
  throw error;
};
