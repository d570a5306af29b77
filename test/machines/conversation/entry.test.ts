import type { MessageParam } from "@anthropic-ai/sdk/resources/messages/messages";
import { describe, expectTypeOf, it } from "vitest";
import type { Entry } from "../../../machines/conversation/index.ts";

/** `T` with mutable arrays and fields, as in the SDK. */
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;

// Checked by the compiler (`npm run check:types`).
describe("An entry of the conversation", () => {
  it("is assignable to a message of the SDK", () => {
    expectTypeOf<Mutable<Entry>>().toExtend<MessageParam>();
    expectTypeOf<Entry["role"]>().toExtend<MessageParam["role"]>();
  });
});
