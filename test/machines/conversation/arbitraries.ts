import fc from "fast-check";
import type { AssistantBlock, Entry, ImageBlock, TextBlock } from "../../../machines/conversation/entry.ts";

const nonBlank = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => /\S/.test(text));
export const text: fc.Arbitrary<TextBlock> = nonBlank.map((text) => ({ type: "text", text }));
const image: fc.Arbitrary<ImageBlock> = fc.constant({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AAAA" },
});

const thinking: fc.Arbitrary<AssistantBlock> = fc.oneof(
  fc.record({ type: fc.constant("thinking" as const), thinking: fc.string(), signature: nonBlank }),
  fc.record({ type: fc.constant("redacted_thinking" as const), data: nonBlank }),
);

/** A response: thinking, texts, and tool calls with unique ids. */
function response(turn: number, calls: number) {
  const uses = Array.from(
    { length: calls },
    (_, index): AssistantBlock => ({
      type: "tool_use",
      id: `call-${turn}-${index}`,
      name: "read_file",
      input: {},
    }),
  );
  const texts =
    calls === 0 ? fc.array(text, { minLength: 1, maxLength: 2 }) : fc.array(text, { maxLength: 2 });
  return fc
    .tuple(fc.array(thinking, { maxLength: 2 }), texts)
    .map(([before, texts]) => [...before, ...texts, ...uses]);
}

function turn(index: number): fc.Arbitrary<[Entry, Entry]> {
  return fc.nat(4).chain((calls) =>
    fc
      .tuple(
        response(index, calls),
        fc.array(fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 2 }), {
          minLength: calls,
          maxLength: calls,
        }),
        fc.array(fc.oneof(text, image), { minLength: calls === 0 ? 1 : 0, maxLength: 2 }),
      )
      .map(([content, results, others]): [Entry, Entry] => [
        { role: "assistant", content },
        {
          role: "user",
          content: [
            ...results.map((content, call) => ({
              type: "tool_result" as const,
              tool_use_id: `call-${index}-${call}`,
              content,
            })),
            ...others,
          ],
        },
      ]),
  );
}

/** Conversations that the API accepts. */
export const validHistory: fc.Arbitrary<Entry[]> = fc
  .tuple(fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 3 }), fc.nat(5))
  .chain(([content, turns]) =>
    fc
      .tuple(...Array.from({ length: turns }, (_, index) => turn(index)))
      .map((entries) => [{ role: "user" as const, content }, ...entries.flat()]),
  );

/** Valid conversations with a response of at least `calls` calls, and its position. */
export const historyWithCalls = (calls: number): fc.Arbitrary<{ history: Entry[]; at: number }> =>
  validHistory
    .map((history) => ({
      history,
      at: history.findIndex(
        ({ content }) => content.filter((block) => block.type === "tool_use").length >= calls,
      ),
    }))
    .filter(({ at }) => at >= 0);
