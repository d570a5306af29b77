import { expect, it, onTestFinished } from "vitest";
import { connectMcp } from "../../adapters/mcp/servers.ts";
import { allowEverything } from "../../tools/index.ts";
import { problemSchema } from "../../wire/http/api.ts";
import { rawServer } from "../support/mcp/servers.ts";
import { enters, Served, SseReader } from "./support.ts";

/** What the server gets, as it returns it. */
const ANSWER = JSON.stringify({ action: "accept", content: { project: "web" } });

it("a client answers the request of an MCP server for input over HTTP; fields that its form does not take are refused", async () => {
  const mcp = await connectMcp({ servers: { raw: rawServer() }, limits: { exitGraceMs: 500 } });
  onTestFinished(() => mcp.close());
  await using served = await Served.open({
    script: "[{ tool: raw__ask, input: {} }, { text: Done. }]",
    task: { permissions: { judge: allowEverything() }, dynamicTools: mcp.tools },
  });
  const { id } = await served.create("Do it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  const [ask] = (await served.info(id)).asks;
  expect(ask).toMatchObject({ kind: "followup", text: expect.stringContaining("raw asks: Which project?") });

  const answer = (text: string) =>
    served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "text", text });
  const refused = problemSchema.parse(await (await answer('{ "project": "app" }')).json());
  expect(refused).toMatchObject({
    code: "ANSWER_REFUSED",
    detail: expect.stringContaining('project: Invalid option: expected one of "web"|"api"'),
  });
  expect((await answer('{ "project": "web" }')).status).toBe(204);
  await stream.until(enters("idle"));
  stream.close();
  const sent = JSON.stringify(served.mock?.requests.at(-1)?.body);
  expect(sent).toContain(JSON.stringify(ANSWER).slice(1, -1));
});
