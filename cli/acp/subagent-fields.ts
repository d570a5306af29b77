import { isDeepStrictEqual } from "node:util";
import type { SessionUpdate, SubagentUpdate } from "@agentclientprotocol/sdk/unstable";
import { printable } from "../../client/printable/printable.ts";
import type { Log } from "../../machines/message/log.ts";
import type { JournalHeader } from "../../wire/journal/record.ts";

/** The fields of a child session, as the session of its parent shows it. */
export type SubagentFields = Pick<SubagentUpdate, "title" | "description" | "capabilities" | "state" | "cwd">;

/** The parts of a subtask that announce it. */
export interface AnnouncedSubtask {
  readonly id: string;
  readonly parent: JournalHeader["parent"];
  readonly title: string | undefined;
  readonly workspace: string | undefined;
  readonly log: Log;
}

/** Maximum characters of a description: the start of the prompt. */
const DESCRIPTION_CHARS_MAX = 500;

/**
 * The title, the description and the folder of a subtask, if it has them.
 *
 * @param inherited the folder of its parent, which needs no mention
 */
export function describeSubtask(
  { title, workspace, log }: AnnouncedSubtask,
  inherited: string | undefined,
): SubagentFields {
  const description = descriptionOf(log.at(0)?.text ?? "");
  return {
    ...(title !== undefined && { title: printable(title) }),
    ...(description !== "" && { description }),
    ...(workspace !== undefined && workspace !== inherited && { cwd: workspace }),
  };
}

function descriptionOf(prompt: string): string {
  const text = printable(prompt.trim());
  return text.length <= DESCRIPTION_CHARS_MAX
    ? text
    : `${text.slice(0, DESCRIPTION_CHARS_MAX).toWellFormed()} ...`;
}

/** The fields that differ from those that the client has. */
export function changedFields(before: SubagentFields, fields: SubagentFields): SubagentFields {
  const { title, description, cwd, capabilities, state } = fields;
  return {
    ...(title !== before.title && { title }),
    ...(description !== before.description && { description }),
    ...(cwd !== before.cwd && { cwd }),
    ...(!isDeepStrictEqual(capabilities, before.capabilities) && { capabilities }),
    ...(!isDeepStrictEqual(state, before.state) && { state }),
  };
}

/** The prompt of a subtask: a message of its parent, not of the user. */
export function promptMessage({
  id,
  parent,
  log,
}: Pick<AnnouncedSubtask, "id" | "parent" | "log">): readonly SessionUpdate[] {
  const prompt = log.at(0);
  if (prompt === undefined || parent === undefined) return [];
  return [
    {
      sessionUpdate: "session_message",
      messageId: String(prompt.ts),
      senderSessionId: parent.taskId,
      recipientSessionId: id,
      content: [{ type: "text", text: prompt.text ?? "" }],
    },
  ];
}
