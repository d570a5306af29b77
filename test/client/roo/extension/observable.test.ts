import { expect, test } from "vitest";
import { Observable } from "../../../../client/index.ts";

test("an observer is called immediately with the current value, then with each next value until it unsubscribes", () => {
  const value = new Observable(1);
  const seen: number[] = [];
  const stop = value.subscribe((now) => seen.push(now));
  value.next(2);
  stop();
  value.next(3);
  expect(seen).toEqual([1, 2]);
  expect(value.getValue()).toBe(3);
});

test("an observer that throws does not stop other observers, and its error is reported", () => {
  const errors: unknown[] = [];
  const value = new Observable("a", (error) => errors.push(error));
  const seen: string[] = [];
  const wrong = new Error("wrong");
  value.subscribe(() => {
    throw wrong;
  });
  value.subscribe((now) => seen.push(now));
  value.next("b");
  expect(seen).toEqual(["a", "b"]);
  expect(errors).toEqual([wrong, wrong]);
});

test("observers are counted, and clear() removes all of them", () => {
  const value = new Observable(0);
  const observer = () => {};
  expect(value.hasSubscribers()).toBe(false);
  value.subscribe(observer);
  value.subscribe(observer);
  expect(value.getSubscriberCount()).toBe(2);
  value.clear();
  expect(value.hasSubscribers()).toBe(false);
  expect(value.getValue()).toBe(0);
});
