import { EventSource } from "undici";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { serverSource } from "../../../client/react/index.ts";
import { taskInfoSchema } from "../../../wire/http/api.ts";
import { inNode, Mounted } from "../../server/mounted.ts";

beforeEach(() => void vi.stubGlobal("EventSource", EventSource));
afterEach(() => void vi.unstubAllGlobals());

test.each(["/", ""])(
  "`serverSource` shows a task of a mounted handler and answers it, with a base URL that ends with %j",
  async (slash) => {
    await using mounted = await Mounted.open(inNode, { authorize: () => true });
    const created = await mounted.fetch("/api/tasks", { method: "POST", json: { prompt: "Change it" } });
    const { id } = taskInfoSchema.parse(await created.json());
    const failures: string[] = [];
    const source = serverSource({
      baseUrl: `${mounted.url}${slash}`,
      taskId: id,
      onFailed: (reason) => failures.push(reason),
    });
    const changes: (() => void)[] = [];
    const close = source.subscribe(() => {
      for (const change of changes.splice(0)) change();
    });
    const shows = async (state: string): Promise<void> => {
      while (source.read().state.state !== state) await new Promise<void>((resolve) => changes.push(resolve));
    };
    await shows("waiting_for_input");
    const ask = source.read().messages.findLast(({ type }) => type === "ask");
    expect(await source.answer(ask?.ts ?? 0, { kind: "yes" })).toEqual({ ok: true });
    await shows("idle");
    expect(source.read().messages.map(({ text }) => text)).toContain("All done.");
    expect(await source.answer(7, { kind: "yes" })).toMatchObject({ ok: false, code: "ASK_UNKNOWN" });
    close();
    expect(failures).toEqual([]);
  },
);
