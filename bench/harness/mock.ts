import { z } from "zod";
import { inChild } from "./child.ts";

/** Mock servers in a process of their own, one for each script, for as long as `work` takes. */
export function withMocks<T, K extends string>(
  scripts: Readonly<Record<K, unknown>>,
  work: (urlOf: (name: K) => string) => Promise<T>,
): Promise<T> {
  return inChild("mock", async (mock) => {
    const urls = new Map<string, string>();
    for (const [name, script] of Object.entries(scripts))
      urls.set(name, await mock.call("start", { script: JSON.stringify(script) }, z.string()));
    return await work((name) => urls.get(name) ?? "");
  });
}
