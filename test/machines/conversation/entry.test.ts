import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages/messages";
import { describe, expectTypeOf, it } from "vitest";
import type { AssistantBlock, Entry, OpaqueBlock, UserBlock } from "../../../machines/conversation/entry.ts";

/** `T` with mutable arrays and fields, as in the SDK. */
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;

// Checked by the compiler (`npm run check:types`).
describe("An entry of the conversation", () => {
  it("has blocks that are blocks of the SDK, but for those that are not interpreted", () => {
    type Block = UserBlock | Exclude<AssistantBlock, OpaqueBlock>;
    expectTypeOf<Mutable<Block>>().toExtend<ContentBlockParam>();
    expectTypeOf<Entry["role"]>().toExtend<MessageParam["role"]>();
  });
});
