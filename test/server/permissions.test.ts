import { describe, expect, it } from "vitest";
import { byRules } from "../../tools/index.ts";
import { choicesSchema, problemSchema, taskInfoSchema } from "../../wire/http/api.ts";
import { scripted } from "../support/model.ts";
import { enters, Served, SseReader } from "./support.ts";

const write = (path: string): string => `{ tool: write_to_file, input: { path: ${path}, content: "hi\\n" } }`;
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";
const QUESTION = `{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: Plan it, mode: architect }, { text: Do it }] } }`;

const open = (script: string): Promise<Served> =>
  Served.open({ script, task: { permissions: { judge: byRules({ sources: [] }) } } });

/** Creates a task, and resolves when it waits for an answer. */
async function waiting(served: Served): Promise<{ readonly id: string; readonly askId: number }> {
  const { id } = await served.create("Do it");
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  stream.close();
  return { id, askId: (await served.info(id)).asks[0]?.askId ?? 0 };
}

async function codeOf(response: Response): Promise<string> {
  return `${response.status} ${problemSchema.parse(await response.json()).code}`;
}

describe("the permission state of a task, over HTTP", () => {
  it("is in its info: the permission mode, its rules, why an ask is asked and which rules would allow it", async () => {
    await using served = await open(`[${write("src/a.txt")}, ${DONE}]`);
    const { id } = await waiting(served);
    const { mode, permissions, asks } = await served.info(id);
    expect({ mode, permissions }).toEqual({ mode: "code", permissions: { mode: "ask", rules: [] } });
    expect(asks[0]?.reason).toBe("no rule allows write_to_file on 'src/a.txt'");
    expect(asks[0]?.rules).toEqual(["edit(src/a.txt)", "edit(src/**)"]);
  });

  it("gets the rule of a yes, which allows the next call like it and is named in that call's message", async () => {
    await using served = await open(`[${write("src/a.txt")}, ${write("src/b.txt")}, ${DONE}]`);
    const { id, askId } = await waiting(served);
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    const answer = { kind: "yes", rule: "edit(src/**)" };
    expect((await served.post(`/api/tasks/${id}/asks/${askId}/answer`, answer)).status).toBe(204);
    await stream.until(enters("idle"));
    stream.close();
    const { permissions } = await served.info(id);
    expect(permissions).toEqual({ mode: "ask", rules: [{ level: "allow", rule: "edit(src/**)" }] });
    const calls =
      served.host.tasks
        .get(id)
        ?.log.toArray()
        .filter(({ ask }) => ask === "tool") ?? [];
    expect(calls.map(({ closing }) => closing)).toEqual(["answered", "answered"]);
    expect(calls[1]?.reason).toBe("edit(src/**) in this session");
  });

  it("refuses an answer with a rule that is not valid, or with a mode that does not exist, and stays open", async () => {
    await using served = await open(`[${write("a.txt")}, ${QUESTION}, ${DONE}]`);
    const { id, askId } = await waiting(served);
    const answer = (given: object, to = askId) => served.post(`/api/tasks/${id}/asks/${to}/answer`, given);
    expect(await codeOf(await answer({ kind: "yes", rule: "anything" }))).toBe("409 ANSWER_REFUSED");
    expect(await codeOf(await answer({ kind: "yes", rule: 5 }))).toBe("400 BODY_INVALID");
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    await stream.until(({ event }) => event === "live");
    expect((await answer({ kind: "yes" })).status).toBe(204);
    await stream.until(enters("waiting_for_input"));
    stream.close();
    const question = (await served.info(id)).asks[0]?.askId ?? 0;
    const text = { kind: "text", text: "Plan it" };
    expect(await codeOf(await answer({ ...text, mode: "nowhere" }, question))).toBe("409 ANSWER_REFUSED");
    expect((await answer({ ...text, mode: "architect" }, question)).status).toBe(204);
    expect((await served.info(id)).mode).toBe("architect");
  });

  it("changes with PATCH: what is absent stays, and what permits more is held until the open ask is closed", async () => {
    await using served = await open(`[${write("a.txt")}, ${DONE}]`);
    const { id, askId } = await waiting(served);
    const patch = (json: unknown) => served.fetch(`/api/tasks/${id}/permissions`, { method: "PATCH", json });
    const rules = [{ level: "allow", rule: "read(**)" }];
    expect(taskInfoSchema.parse(await (await patch({ rules })).json()).permissions).toEqual({
      mode: "ask",
      rules: [],
      held: { rules },
    });
    await patch({ mode: "auto-edit" });
    expect((await served.info(id)).permissions).toEqual({
      mode: "ask",
      rules: [],
      held: { mode: "auto-edit", rules },
    });
    expect((await served.info(id)).asks[0]?.askId).toBe(askId);
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    expect((await served.post(`/api/tasks/${id}/asks/${askId}/answer`, { kind: "yes" })).status).toBe(204);
    await stream.until(enters("idle"));
    stream.close();
    expect((await served.info(id)).permissions).toEqual({ mode: "auto-edit", rules });
    expect(await codeOf(await patch({ mode: "anything" }))).toBe("400 BODY_INVALID");
    expect(await codeOf(await patch({ rules: [{ level: "allow", rule: "anything" }] }))).toBe(
      "400 OPTION_INVALID",
    );
  });

  it("withdraws the open ask for a change that permits less", async () => {
    await using served = await open(`[${write("a.txt")}, ${DONE}]`);
    const { id, askId } = await waiting(served);
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    await served.fetch(`/api/tasks/${id}/permissions`, { method: "PATCH", json: { mode: "plan" } });
    await stream.until(enters("idle"));
    stream.close();
    const messages = served.host.tasks.get(id)?.log.toArray() ?? [];
    expect(messages.find(({ ts }) => ts === askId)?.closing).toBe("withdrawn");
    expect(messages.map(({ say }) => say)).toContain("permissions_changed");
  });

  it("has the intent that the task selected: null before, and none without intents", async () => {
    const scope = { ownedScope: ["src/**"], constraints: [], acceptanceCriteria: [] };
    const intents = async () => async () => [{ id: "INT-1", name: "One", status: "TODO", ...scope } as const];
    const select = "{ tool: select_active_intent, input: { intent_id: INT-1 } }";
    const policy = byRules({ sources: [{ origin: "test", allow: ["tool(select_active_intent)"] }] });
    await using served = await Served.open({
      script: `[${QUESTION}, ${select}, ${DONE}]`,
      task: { permissions: { judge: policy }, intents },
    });
    const { id, askId } = await waiting(served);
    expect((await served.info(id)).intent).toBeNull();
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    await served.post(`/api/tasks/${id}/asks/${askId}/answer`, { kind: "text", text: "Do it" });
    await stream.until(enters("idle"));
    stream.close();
    expect((await served.info(id)).intent).toBe("INT-1");
    await using other = await open(`[${QUESTION}, ${DONE}]`);
    const { id: without } = await waiting(other);
    expect("intent" in (await other.info(without))).toBe(false);
  });

  it("has the profile that POST selects, and keeps it where there is no such profile", async () => {
    const fast = scripted([]);
    const policy = byRules({ sources: [] });
    await using served = await Served.open({
      script: `[${QUESTION}, ${DONE}]`,
      task: { permissions: { judge: policy } },
      models: { named: { fast }, byMode: { ask: "fast" } },
    });
    const { id } = await waiting(served);
    expect((await served.info(id)).profile).toBe("default");
    const select = (profile: string) => served.post(`/api/tasks/${id}/profile`, { profile });
    expect(taskInfoSchema.parse(await (await select("fast")).json()).profile).toBe("fast");
    expect(await codeOf(await select("nowhere"))).toBe("400 OPTION_INVALID");
    const choices = choicesSchema.parse(await (await served.fetch(`/api/tasks/${id}/choices`)).json());
    expect(choices.profiles.map(({ name }) => name)).toEqual(["default", "fast"]);
    expect(choices.modes).toContainEqual({ slug: "architect", name: "Architect" });
    expect((await served.info(id)).profile).toBe("fast");
    await served.post(`/api/tasks/${id}/close`);
    expect(await codeOf(await select("default"))).toBe("409 TASK_CLOSED");
  });

  it("has the mode that POST selects, and keeps it where there is no such mode", async () => {
    await using served = await open(`[${QUESTION}, ${DONE}]`);
    const { id } = await waiting(served);
    const select = (mode: string) => served.post(`/api/tasks/${id}/mode`, { mode });
    expect(taskInfoSchema.parse(await (await select("architect")).json()).mode).toBe("architect");
    expect(await codeOf(await select("nowhere"))).toBe("400 OPTION_INVALID");
    expect((await served.info(id)).mode).toBe("architect");
    await served.post(`/api/tasks/${id}/close`);
    expect(await codeOf(await select("code"))).toBe("409 TASK_CLOSED");
    const path = `/api/tasks/${id}/permissions`;
    expect(await codeOf(await served.fetch(path, { method: "PATCH", json: {} }))).toBe("409 TASK_CLOSED");
  });
});
