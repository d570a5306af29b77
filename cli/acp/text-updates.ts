import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Log } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { formatSubject } from "../../present/asks.ts";
import { formatSay } from "../../present/says.ts";
import { parseQuestion } from "../../wire/descriptor.ts";
import { imageContents } from "./image.ts";

type Chunk = Extract<
  SessionUpdate,
  { sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" }
>;
type ChunkKind = Chunk["sessionUpdate"];

/** The chunks of the messages that are text. What was sent of a message is not sent again. */
export class TextUpdates {
  /** The number of characters that were sent of each message. */
  readonly #sent = new Map<number, number>();
  /** The message of the last chunk, unless something else followed it. */
  #last: { readonly kind: ChunkKind; readonly ts: number } | undefined;

  /** The chunks with what is new of a message of this log. */
  *of(message: ClineMessage, log: Log): Generator<Chunk, void> {
    const kind = kindOf(message, log);
    if (kind === undefined) return;
    const { ts, images = [] } = message;
    const sent = this.#sent.get(ts);
    const text = textOf(message);
    this.#sent.set(ts, text.length);
    const blocks: ContentBlock[] = [];
    if (text.length > (sent ?? 0)) blocks.push({ type: "text", text: text.slice(sent) });
    if (sent === undefined) blocks.push(...imageContents(images));
    for (const content of blocks) yield this.#chunk(kind, ts, content);
  }

  /** Something else follows the last chunk: the next one needs no blank line before it. */
  interrupt(): void {
    this.#last = undefined;
  }

  /** A client may show the chunks of two messages as one text. */
  #chunk(kind: ChunkKind, ts: number, content: ContentBlock): Chunk {
    const follows = this.#last?.kind === kind && this.#last.ts !== ts;
    this.#last = { kind, ts };
    const separated =
      follows && content.type === "text" ? { ...content, text: `\n\n${content.text}` } : content;
    return { sessionUpdate: kind, messageId: String(ts), content: separated };
  }
}

/** The kind of a message's text. Undefined: it is not shown as text. */
function kindOf({ ts, say, ask, partial, callId }: ClineMessage, log: Log): ChunkKind | undefined {
  switch (say ?? ask) {
    case "text":
      return ts === log.at(0)?.ts ? "user_message_chunk" : "agent_message_chunk";
    case "user_feedback":
    case "wake_up":
      return "user_message_chunk";
    case "reasoning":
      return "agent_thought_chunk";
    case "followup":
      return partial === true ? undefined : "agent_message_chunk";
    case "error":
      // The error of a call is in its result.
      return callId === undefined ? "agent_message_chunk" : undefined;
    case "completion_result":
      return say === undefined ? undefined : "agent_message_chunk";
    case "mistake_limit_reached":
    case "auto_approval_max_req_reached":
      return "agent_message_chunk";
    default:
      return undefined;
  }
}

function textOf(message: ClineMessage): string {
  const { ask, text } = message;
  switch (ask) {
    case "followup": {
      const { question, suggest } = parseQuestion(text ?? "");
      return [question, ...suggest.map(({ answer }) => `- ${answer}`)].join("\n");
    }
    case "auto_approval_max_req_reached":
      return `The task stops at its limit: ${formatSubject(message)}. Send a message to continue.`;
    default:
      return message.say === "wake_up" ? `Wake-up: ${text ?? ""}` : formatSay(message);
  }
}
