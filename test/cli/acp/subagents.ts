import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { completes, scriptByMode } from "../../support/subtasks.ts";
import type { AcpClient } from "./acp-client.ts";

/** A task with a subtask that has one. The innermost does what `call` says. */
export const nestedScript = (call: string, after: string): string =>
  scriptByMode(
    { mode: "code", after: "new_task", turn: completes("All done.") },
    { mode: "code", turn: "{ tool: new_task, input: { mode: ask, message: Find it., name: Finder } }" },
    { mode: "ask", after: "new_task", turn: completes("Found.") },
    { mode: "ask", turn: "{ tool: new_task, input: { mode: debug, message: Look closer. } }" },
    { mode: "debug", after, turn: completes("Seen.") },
    { mode: "debug", turn: `[{ thinking: Hm. }, { text: I look. }, ${call}]` },
  );

type Announced = Extract<SessionUpdate, { sessionUpdate: "subagent_update" }>;

const parentOf = (child: string): string => child.slice(0, child.lastIndexOf("."));

/** The updates about a child session, on the session of its parent. */
export const updatesAbout = (client: AcpClient, child: string): readonly Announced[] =>
  client
    .updates(parentOf(child))
    .flatMap((update) =>
      update.sessionUpdate === "subagent_update" && update.sessionId === child ? [update] : [],
    );

/** The states of the work of a child session, in order. */
export const statesOf = (client: AcpClient, child: string) =>
  updatesAbout(client, child).flatMap(({ state }) => (state == null ? [] : [state]));
