import { expect, test } from "vitest";
import { validateConversation } from "../../machines/conversation/validate.ts";
import { openRig, type Rig } from "../support/host.ts";
import { deferred } from "../support/model.ts";

const WINDOW = 8_000;
const FILES = { "notes.md": "A line of notes that fills the window.\n".repeat(20) };
/** Reads two files in each response, until the conversation has this many turns. */
const reading = (summary: string): string => `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [${summary}]
  - when: { user: "Stop now" }
    turns: [{ text: "I stop." }]
  - when: { tool: read_file }
    turns: [[{ tool: read_file, input: { path: notes.md } }, { tool: read_file, input: { path: notes.md, limit: 9 } }]]
turns:
  - - { tool: read_file, input: { path: notes.md } }
    - { tool: read_file, input: { path: notes.md, limit: 9 } }
`;
/** No response to the first request for a summary, until it is aborted. */
function silentOnce() {
  const asked = deferred();
  let isSilent = true;
  const silent: typeof fetch = (url, init) => {
    if (!isSilent || !String(init?.body).includes("Write a summary that replaces")) return fetch(url, init);
    isSilent = false;
    return new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      asked.resolve();
    });
  };
  return { fetch: silent, asked: asked.promise };
}

const UNBOUNDED = { repetitions: 0, requests: 1_000_000 };
const SETTING = {
  files: FILES,
  mock: { contextWindow: WINDOW },
  anthropic: { contextWindow: WINDOW },
  limits: UNBOUNDED,
};

const saying = ({ task }: Rig, say: string) => task.log.toArray().filter((message) => message.say === say);
const isSummaryRequest = (messages: ReturnType<Rig["sent"]>[number]): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that replaces");

test("field failure 15: an interrupted condensation leaves each call with its result, and the next one condenses (L6, COMPACT)", async () => {
  const { fetch, asked } = silentOnce();
  await using rig = await openRig({
    script: reading('{ text: "The notes were read. Read on." }'),
    ...SETTING,
    anthropic: { ...SETTING.anthropic, fetch },
  });
  const { task } = rig;
  const run = task.run("Read the notes");
  await asked;
  expect(rig.shown.at(-1)?.commit.after).toBe("streaming.condensing");
  const before = task.snapshot.context.conversation.toArray();
  task.cancel();
  expect(await run).toMatchObject({ state: "resumable" });
  expect(task.snapshot.context.conversation.toArray()).toEqual(before);
  expect(validateConversation(before)).toEqual([]);
  task.queue("Stop now");
  expect(await task.run()).toMatchObject({ result: "I stop." });
  expect(saying(rig, "condense_context")).toMatchObject([{ partial: false }, { partial: false }]);
  expect(rig.mock?.requests.filter(({ status }) => status === 400)).toEqual([]);
});

test("field failure 16: a summary that is not shorter is asked for once a request, and the oldest turns are removed (COMPACT)", async () => {
  const summary = `{ text: { repeat: "as long as before ", times: 2000 } }`;
  await using rig = await openRig({ script: reading(summary), ...SETTING });
  const { task } = rig;
  let requests = 0;
  task.events$.subscribe(({ commit }) => {
    for (const event of commit.log)
      if (event.type === "message.appended" && event.message.say === "api_req_started") {
        requests += 1;
        if (requests === 40) task.queue("Stop now");
      }
  });
  expect(await task.run("Read the notes")).toMatchObject({ result: "I stop." });
  const sent = rig.sent();
  expect(
    sent.some((messages, at) => isSummaryRequest(messages) && isSummaryRequest(sent[at + 1] ?? [])),
  ).toBe(false);
  const removals = saying(rig, "sliding_window_truncation");
  expect(removals.length).toBeGreaterThan(1);
  expect(removals).toHaveLength(saying(rig, "condense_context_error").length);
  expect(removals).toHaveLength(sent.filter(isSummaryRequest).length);
  expect(rig.mock?.requests.filter(({ status }) => status === 400)).toEqual([]);
});
