import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { byRules } from "../../tools/index.ts";
import { problemSchema, proposalSchema } from "../../wire/http/api.ts";
import { enters, Served, SseReader } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "one\\n" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

it("a client gets the proposal of an ask over HTTP, and amends it with its answer; another form is refused", async () => {
  await using served = await Served.open({
    script: `[${WRITE}, ${DONE}]`,
    task: { permissions: { judge: byRules({ sources: [] }) } },
  });
  const { id, workspace = "" } = await served.create("Do it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  const [ask] = (await served.info(id)).asks;
  expect(ask?.proposal).toBe("file");
  const of = `/api/tasks/${id}/asks/${ask?.askId}`;
  const proposal = proposalSchema.parse(await (await served.fetch(`${of}/proposal`)).json());
  expect(proposal).toEqual({ kind: "file", path: "a.txt", base: "none", after: "one\n" });

  const answer = (amendment: unknown) => served.post(`${of}/answer`, { kind: "yes", amendment });
  const codeOf = async (response: Response) => problemSchema.parse(await response.json()).code;
  expect(await codeOf(await answer({ content: "x", path: "b.txt" }))).toBe("ANSWER_REFUSED");
  expect(await codeOf(await answer("x"))).toBe("BODY_INVALID");
  expect((await answer({ content: "edited\n" })).status).toBe(204);
  await stream.until(enters("idle"));
  stream.close();
  expect(await readFile(path.join(workspace, "a.txt"), "utf8")).toBe("edited\n");
  expect(await codeOf(await answer({ content: "late\n" }))).toBe("ASK_ALREADY_ANSWERED");
  expect(await codeOf(await served.fetch(`${of}/proposal`))).toBe("ASK_UNKNOWN");
});
