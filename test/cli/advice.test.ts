import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();

const READ = `{ tool: read_file, input: { path: a.txt } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const ERROR = (type: string, message: string): string =>
  `{ status: 400, body: { type: error, error: { type: ${type}, message: "${message}" } } }`;

describe.concurrent("a run that can't go on", () => {
  test("at a limit of requests names it in words, and how to continue", async () => {
    const config = box.newFolder();
    mkdirSync(path.join(config, "signalbox"));
    writeFileSync(path.join(config, "signalbox/settings.yaml"), "version: 1\nlimits: { requests: 1 }\n");
    const { process } = await box.onScript(`[${READ}, ${DONE}]`, ["-p", "Go"], {
      env: { XDG_CONFIG_HOME: config },
    });
    expect(await process.end()).toBe(1);
    const output = process.stdout + process.stderr;
    expect(output).toContain(
      "the task asks auto_approval_max_req_reached (1 request), which nobody can answer",
    );
    expect(output).toContain("yes allows the same amount again, or raise limits in the settings");
    expect(output).not.toContain('{"count"');
  });

  test.each([
    [
      "invalid_request_error",
      "prompt is too long: 210000 tokens > 200000 maximum",
      "condense it with /compact",
    ],
    ["authentication_error", "invalid x-api-key", "Check the API key"],
    ["invalid_request_error", "tools: too many", "To try the request again, resume the task"],
  ])("after the failure %s: %s says what to do", async (type, message, advice) => {
    const { process } = await box.onScript(`[${ERROR(type, message)}, ${DONE}]`, ["-p", "Go"]);
    expect(await process.end()).toBe(1);
    expect(process.stdout + process.stderr).toContain(advice);
    expect(process.stdout + process.stderr).not.toContain("Run it again");
  });

  test("names the endpoint, which a resumed task needs again, and neither its provider nor its script", async () => {
    const workspace = box.newFolder();
    const script = path.join(workspace, "a script.yaml");
    writeFileSync(script, `[${READ}, ${DONE}, ${DONE}]`);
    const data = path.join(workspace, "data");
    const where = ["-w", workspace, "--data-dir", data];
    const { stderr } = await box.does(
      "run",
      ...where,
      "--provider",
      "mock",
      "--script",
      script,
      "--oneshot",
      "Go",
    );
    const [, id] = /--session-id (\S+)/.exec(stderr) ?? [];
    expect(stderr).toContain(`To resume: signalbox run --session-id ${id} --data-dir ${data}`);
    const again = await box.does("run", ...where, "--continue", "--oneshot", "Go on");
    expect(again.code).toBe(0);
    const resumed = await box.onScript(`[${DONE}]`, ["--oneshot", "Go"]);
    expect(await resumed.process.end()).toBe(0);
    expect(resumed.process.stderr).toContain(` --base-url ${resumed.mock.url} --data-dir `);
    const other = ["-w", resumed.workspace, "--data-dir", resumed.data];
    const refused = await box.does("run", ...other, "--continue", "--script", script, "Go on");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("the provider of the task is anthropic. Add --provider mock.");
  });

  test("with --continue where there is no task says so, and does not ask for a key", async () => {
    const workspace = box.newFolder();
    const args = ["run", "--continue", "--provider", "anthropic", "--data-dir", path.join(workspace, "data")];
    const process = new Process(box.bin, args, { cwd: workspace });
    expect(await process.end()).toBe(1);
    expect(process.stderr).toContain(`workspace ${workspace} has no task to continue.`);
    expect(process.stderr).not.toContain("API key");
  });
});
