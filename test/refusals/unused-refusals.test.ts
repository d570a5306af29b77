import path from "node:path";
import { describe, expect, it } from "vitest";
import { packagePrograms, unusedRefusals } from "./unused-refusals.ts";

const seeded = path.join(import.meta.dirname, "../../cli/seeded.ts");

/** The texts that the rule finds in a file of the package with this content. */
function foundIn(lines: string): readonly string[] {
  const source = `
    import type { ExtensionClient } from "../client/index.ts";
    import type { Ask, Task } from "../index.ts";
    declare const task: Task;
    declare const client: ExtensionClient;
    declare const isOpen: boolean;
    declare const ask: Extract<Ask, { readonly kind: "question" }>;
    declare function later(act: () => void): void;
    declare function use(result: unknown): void;
    declare function send(): Promise<{ readonly done: true } | { readonly done: false; readonly code: string; readonly message: string }>;
    ${lines}
  `;
  const programs = packagePrograms({ file: seeded, text: source });
  return unusedRefusals(programs, (file) => file === seeded).map(({ text }) => text);
}

describe("a result that can refuse is used", () => {
  it("finds each way in which such a result is dropped, and nothing where it is used", () => {
    const found = foundIn(`
      task.queue("a");
      void task.queue("b");
      export const dropping = async () => { await send(); };
      send();
      send().finally(() => use(1));
      Promise.all([send()]);
      isOpen && ask.answer("c");
      isOpen ? client.approve() : use(2);
      later(() => ask.answer("d"));
      const acts: { readonly act: () => void } = { act: () => task.switchMode("code") };
      use(acts);

      use(task.queue("used"));
      if (!ask.answer("used").ok) use(1);
      const result = client.approve("used");
      use(result);
      task.cancel();
      task.unqueue("c");
      later(() => use(task.queue("used")));
      export const returned = () => send();
    `);
    expect(found).toEqual([
      'task.queue("a")',
      'task.queue("b")',
      "await send()",
      "send()",
      "send().finally(() => use(1))",
      "Promise.all([send()])",
      'ask.answer("c")',
      "client.approve()",
      '() => ask.answer("d")',
      '() => task.switchMode("code")',
    ]);
  });
});
