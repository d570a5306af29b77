import type { MessageParam } from "@anthropic-ai/sdk/resources/messages/messages";
import { describe, expectTypeOf, it } from "vitest";
import type { Entry } from "../../../machines/conversation/index.ts";

/** `T` as the SDK spells it: its arrays are mutable where ours are not; nothing else is changed. */
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;

// The compiler checks these (`npm run check:types`); at run time they do nothing.
describe("An entry of our conversation", () => {
  it("is a message of the SDK's API, so that nothing has to be translated", () => {
    expectTypeOf<Mutable<Entry>>().toExtend<MessageParam>();
    expectTypeOf<Entry["role"]>().toExtend<MessageParam["role"]>();
  });
});
