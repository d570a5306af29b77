import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { select } from "./acp-client.ts";
import { READ, ScriptedFolder, WRITE } from "./scripted-agent.ts";

test("a prompt streams its updates, asks for permission, and ends its turn", async () => {
  const folder = await ScriptedFolder.open(
    `[[{ thinking: Hm. }, { text: I look. }, ${READ}], ${WRITE}, { text: Done. }]`,
  );
  const client = folder.connect({ permission: (request) => select(request, "allow_once") });
  await client.initialize();
  const session = await client.session(folder.workspace);
  expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
  console.log(JSON.stringify(client.received, null, 1));
  expect(readFileSync(path.join(folder.workspace, "a.txt"), "utf8")).toBe("two\n");
  expect(await client.end()).toBe(0);
  await folder.mock.close();
});
