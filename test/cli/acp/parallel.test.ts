import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { deferred } from "../../support/model.ts";
import { parallelScript } from "../../support/parallel-script.ts";
import { select } from "./acp-client.ts";
import { ScriptedFolder } from "./scripted-agent.ts";

const MODES = ["architect", "debug"];
const SCRIPT = parallelScript(MODES, {
  tool: "write_to_file",
  call: (mode) => `{ tool: write_to_file, input: { path: ${mode}.md, content: "${mode}\\n" } }`,
});

test("a client is asked about the calls of two subtasks at once, and each gets its own answer (L7)", async () => {
  const folder = await ScriptedFolder.open(SCRIPT);
  folder.writeSettings("version: 1\npermissions:\n  allow: [subtask]\n");
  const both = deferred<void>();
  const client = folder.connect({
    permission: async (request) => {
      if (client.permissions.length === 2) both.resolve();
      await both.promise;
      return select(
        request,
        request.toolCall.title?.includes("architect") === true ? "allow_once" : "reject_once",
      );
    },
  });
  await client.initialize();
  const session = await client.session(folder.workspace);
  expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
  expect(
    client.permissions.map(({ toolCall }) => toolCall.toolCallId.split("/")[0]?.slice(-2)).toSorted(),
  ).toEqual([".1", ".2"]);
  expect(MODES.filter((mode) => existsSync(path.join(folder.workspace, `${mode}.md`)))).toEqual([
    "architect",
  ]);
  expect(client.invalid).toEqual([]);
  expect(await client.end()).toBe(0);
  await folder.close();
});
