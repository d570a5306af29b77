import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { taskInfoSchema } from "../../wire/http/api.ts";
import { type Built, build } from "../cli/built.ts";
import { Process, temporaryFolder } from "../cli/process.ts";

let built: Built;
const folder = temporaryFolder();
beforeAll(async () => {
  built = await build();
});
afterAll(() => folder.remove());

/** The command and its address. */
async function serving(script: string): Promise<{ process: Process; url: string; token: string }> {
  const workspace = mkdtempSync(path.join(folder.path, "work-"));
  writeFileSync(path.join(workspace, "script.yaml"), script);
  const args = ["--provider", "mock", "--script", path.join(workspace, "script.yaml"), "-w", workspace];
  const process = new Process(built.bin, [
    ...["serve", "--port", "0", "--data-dir", path.join(workspace, "data")],
    ...args,
  ]);
  await process.said("#token=");
  const [, url = "", token = ""] = /Open (http:\S+)\/#token=(\S+)/.exec(process.stdout) ?? [];
  return { process, url, token };
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "after %s the command settles its tasks, notifies its clients, and exits with code %i",
  async (signal, code) => {
    const { process, url, token } = await serving(
      "- tool: ask_followup_question\n  input: { question: Which?, follow_up: [{ text: This }] }",
    );
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const made = await fetch(`${url}/api/tasks`, {
      method: "POST",
      headers,
      body: JSON.stringify({ prompt: "Ask me" }),
    });
    const { id } = taskInfoSchema.parse(await made.json());
    const stream = await fetch(`${url}/api/tasks/${id}/events`, { headers });
    let received = "";
    let isAsked = false;
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += chunk;
      if (isAsked || !received.includes('"after":"waiting_for_input')) continue;
      isAsked = true;
      process.child.kill(signal);
    }
    expect(received).toContain('"after":"resumable');
    expect(await process.code).toBe(code);
    expect(process.stderr).toBe("");
  },
);

test("serve starts without an API key, and rejects only the start of a task that needs it", async () => {
  const workspace = mkdtempSync(path.join(folder.path, "work-"));
  const config = mkdtempSync(path.join(folder.path, "config-"));
  mkdirSync(path.join(config, "signalbox"));
  writeFileSync(
    path.join(config, "signalbox", "settings.yaml"),
    "version: 1\nprofiles: { work: { provider: anthropic, model: lead-1, keyVariable: NO_SUCH_KEY } }\nprofile: work\n",
  );
  const process = new Process(
    built.bin,
    ["serve", "--port", "0", "--data-dir", path.join(workspace, "data"), "-w", workspace],
    { env: { XDG_CONFIG_HOME: config, ANTHROPIC_API_KEY: "" } },
  );
  await process.said("#token=");
  const [, url = "", token = ""] = /Open (http:\S+)\/#token=(\S+)/.exec(process.stdout) ?? [];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  expect((await fetch(`${url}/api/tasks`, { headers })).status).toBe(200);
  const refused = await fetch(`${url}/api/tasks`, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ prompt: "Go" }),
  });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("NO_SUCH_KEY");
  process.child.kill("SIGTERM");
  expect(await process.code).toBe(143);
});

test("inspect serves the page of the given task, without an API key; an unknown task is rejected with its name", async () => {
  const dataDir = mkdtempSync(path.join(folder.path, "data-"));
  const run = new Process(built.bin, [
    "run",
    "--provider",
    "mock",
    "--data-dir",
    dataDir,
    "-p",
    "-y",
    "Hello",
  ]);
  expect(await run.code).toBe(0);
  const list = new Process(built.bin, ["list", "--format", "json", "--data-dir", dataDir]);
  await list.code;
  const id = /"id":"([^"]+)"/.exec(list.stdout)?.[1] ?? "";
  const inspecting = new Process(built.bin, ["inspect", id.slice(0, 8), "--data-dir", dataDir]);
  await inspecting.said("&task=");
  expect(inspecting.stdout).toContain(`&task=${id}`);
  inspecting.child.kill("SIGTERM");
  expect(await inspecting.code).toBe(143);
  const unknown = new Process(built.bin, ["inspect", "nobody", "--data-dir", dataDir]);
  expect([await unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("nobody")]);
});
