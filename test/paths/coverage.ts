import { Session } from "node:inspector/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../examples-in-docs/program.ts";

/** Finds the source files with a function that ran, by the precise coverage of V8. */
export class SourceCoverage {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** The files since the last call, from the root. */
  async take(): Promise<readonly string[]> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ functions }) =>
        functions.some(
          ({ functionName, ranges }) => functionName !== "" && ranges.some(({ count }) => count > 0),
        ),
      )
      .flatMap(({ url }) => (url.startsWith("file://") ? [path.relative(root, fileURLToPath(url))] : []))
      .filter((file) => !/^(?:\.\.|node_modules|test|testing|dist)\//.test(file))
      .sort();
  }
}
