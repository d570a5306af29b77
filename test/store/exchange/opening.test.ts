import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createActor } from "xstate";
import { z } from "zod";
import { detectAgentState } from "../../../machines/message/detect.ts";
import { emptyRecordedState } from "../../../machines/task/commit.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { importFolder, memoryJournal, readJournal } from "../../../store/index.ts";
import { applyRecord } from "../../../wire/journal/apply-record.ts";
import { messageSchema } from "../../../wire/message-schema.ts";
import { silentActors } from "../../support/silent-actors.ts";
import { logFaults } from "../../wire/roo/laws.ts";

const root = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const { logs } = z
  .object({ logs: z.array(z.object({ log: z.string(), messages: z.array(messageSchema) })) })
  .parse(
    JSON.parse(readFileSync(new URL("../../fixtures/recorded-log-shapes.json", import.meta.url), "utf8")),
  );

describe("an imported task, opened from its journal", () => {
  test.each(logs)(
    "L1, L8, L11: is at rest on one open resume ask, in the state of its messages: $log",
    async ({ messages }) => {
      const dir = mkdtempSync(path.join(root, "task-"));
      writeFileSync(path.join(dir, "ui_messages.json"), JSON.stringify(messages));
      const driver = memoryJournal();
      const { rows } = await importFolder(dir, { driver, taskId: "t1", importedAt: 1_767_225_600_000 });
      let state = emptyRecordedState;
      const onTail = (tail: unknown) => expect(tail).toBeUndefined();
      for await (const record of readJournal(driver, { onTail })) state = applyRecord(state, record);
      const reopened = { ...state, openedAt: 1_767_225_700_000 };
      const actor = createActor(taskMachine.provide({ actors: silentActors }), {
        input: { taskId: "t1", reopened },
      }).start();
      const snapshot = actor.getSnapshot();
      const { context } = snapshot;
      actor.stop();

      const wasCompleted = messages.at(-1)?.ask === "completion_result";
      const all = context.log.toArray();
      expect(all).toHaveLength(rows + 1);
      expect(all.at(-1)).toMatchObject({ ask: wasCompleted ? "resume_completed_task" : "resume_task" });
      expect(logFaults(all)).toEqual([`L8: the ask ${rows} is open`]);
      expect(snapshot.matches(detectAgentState(all).state)).toBe(true);
      expect(context.total.cost).toBeGreaterThan(0);
    },
  );
});
