import { z } from "zod";
import { withChild } from "./child.ts";

/** Run `work` with mock servers in a child process, one for each script. */
export function withMocks<T, K extends string>(
  scripts: Readonly<Record<K, unknown>>,
  work: (urlOf: (name: K) => string) => Promise<T>,
): Promise<T> {
  return withChild("mock", async (mock) => {
    const urls = new Map<string, string>();
    for (const [name, script] of Object.entries(scripts))
      urls.set(name, await mock.call("start", { script: JSON.stringify(script) }, z.string()));
    return await work((name) => urls.get(name) ?? "");
  });
}
