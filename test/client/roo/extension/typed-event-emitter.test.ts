import { describe, expect, test } from "vitest";
import { TypedEventEmitter } from "../../../../client/index.ts";

interface Events {
  readonly said: string;
  readonly ended: undefined;
  readonly error: Error;
}

function emitterWith(onUnheard: (error: Error) => void = () => {}) {
  const emitter = new TypedEventEmitter<Events>({ onUnheard });
  const heard: string[] = [];
  const hear = (name: string) => (words: string) => heard.push(`${name} ${words}`);
  return { emitter, heard, hear };
}

describe("a TypedEventEmitter", () => {
  test("calls the listeners of one event in the order of their registration", () => {
    const { emitter, heard, hear } = emitterWith();
    emitter.on("said", hear("a"));
    emitter.on("said", hear("b"));
    emitter.emit("said", "x");
    emitter.emit("ended");
    expect(heard).toEqual(["a x", "b x"]);
    expect(emitter.listenerCount("said")).toBe(2);
  });

  test("removes a listener by the function that on returns, by off, and after once", () => {
    const { emitter, heard, hear } = emitterWith();
    const off = hear("off");
    const stop = emitter.on("said", hear("stop"));
    emitter.on("said", off);
    emitter.once("said", hear("once"));
    const onceOff = hear("once off");
    emitter.once("said", onceOff);
    emitter.off("said", onceOff);
    emitter.emit("said", "1");
    stop();
    emitter.off("said", off);
    emitter.emit("said", "2");
    expect(heard).toEqual(["stop 1", "off 1", "once 1"]);
  });

  test("does not call a listener that was removed or added during the same emit", () => {
    const { emitter, heard, hear } = emitterWith();
    emitter.once("said", () => {
      stop();
      emitter.on("said", hear("late"));
    });
    const stop = emitter.on("said", hear("removed"));
    emitter.emit("said", "1");
    expect(heard).toEqual([]);
    emitter.emit("said", "2");
    expect(heard).toEqual(["late 2"]);
  });

  test("removes the listeners of one event, or of all", () => {
    const { emitter, heard, hear } = emitterWith();
    const ends: string[] = [];
    emitter.on("said", hear("a"));
    emitter.events$("ended").subscribe({ complete: () => ends.push("ended") });
    emitter.removeAllListeners("said");
    emitter.emit("said", "1");
    expect([heard, ends]).toEqual([[], []]);
    emitter.removeAllListeners();
    expect(ends).toEqual(["ended"]);
  });

  test("passes the error of a listener to the listeners of error, and continues", () => {
    const { emitter, heard, hear } = emitterWith();
    const errors: Error[] = [];
    emitter.on("error", (error) => errors.push(error));
    emitter.on("said", () => {
      throw new Error("first");
    });
    emitter.on("said", hear("b"));
    emitter.emit("said", "x");
    expect(errors).toMatchObject([{ message: "first" }]);
    expect(heard).toEqual(["b x"]);
  });

  test("hides no error: an unhandled one, and one of a listener of error, are reported", () => {
    const unheard: Error[] = [];
    const { emitter } = emitterWith((error) => unheard.push(error));
    emitter.on("said", () => {
      throw new Error("unheard");
    });
    emitter.emit("said", "x");
    emitter.on("error", () => {
      throw new Error("of error");
    });
    emitter.emit("said", "y");
    expect(unheard).toMatchObject([{ message: "unheard" }, { message: "of error" }]);
  });
});
