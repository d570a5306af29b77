import { tooLong } from "./event-stream.ts";

type Json = Readonly<Record<string, unknown>>;

/** A response of the Messages API in one piece. */
interface WholeMessage extends Json {
  readonly type: "message";
  readonly content: readonly unknown[];
}

/**
 * Reads the body of a response to its end.
 *
 * @throws ModelError `bad_stream` for a body of more than `maxChars` characters (L14)
 */
export async function textOf(body: ReadableStream<Uint8Array>, maxChars: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxChars) throw tooLong("messages", maxChars);
  }
  return text + decoder.decode();
}

/**
 * The event stream of a message that came whole, as proxies that judge whole responses send it. Undefined if the text is no
 * message.
 */
export function streamOfMessage(text: string): ReadableStream<Uint8Array> | undefined {
  const message = parsed(text);
  if (!isMessage(message)) return undefined;
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const event of eventsOf(message))
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      controller.close();
    },
  });
}

function eventsOf({ content, stop_reason, stop_details, usage }: WholeMessage): readonly object[] {
  return [
    { type: "message_start", message: { usage } },
    ...content.flatMap((block, index) => eventsOfBlock(block, index)),
    { type: "message_delta", delta: { stop_reason, stop_details } },
    { type: "message_stop" },
  ];
}

/** The arguments of a tool call are a delta, so that they are checked as in a stream (L7). */
function eventsOfBlock(block: unknown, index: number): readonly object[] {
  const stop = { type: "content_block_stop", index };
  if (!isJson(block) || block.type !== "tool_use")
    return [{ type: "content_block_start", index, content_block: block }, stop];
  const { input = null, ...content_block } = block;
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  return [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    stop,
  ];
}

const isMessage = (value: unknown): value is WholeMessage =>
  isJson(value) && value.type === "message" && Array.isArray(value.content);

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
