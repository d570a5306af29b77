import { expect, test } from "vitest";
import {
  type MockRequest,
  Recorder,
  requestBytesKeptMax,
  requestsMax,
} from "../../../../testing/mock/server/record.ts";

const request = (n: number): MockRequest => ({
  id: `req_${n}`,
  method: "POST",
  path: "/",
  headers: {},
  body: {},
  status: 200,
});

test("keeps the newest requests, up to a number (L14)", () => {
  const recorder = new Recorder();
  for (let n = 0; n < requestsMax + 10; n += 1) recorder.add(request(n), 1);
  expect(recorder.requests).toHaveLength(requestsMax);
  expect(recorder.requests[0]?.id).toBe("req_10");
});

test("keeps bodies up to a size, and always the newest (L14)", () => {
  const recorder = new Recorder();
  for (let n = 0; n < 4; n += 1) recorder.add(request(n), requestBytesKeptMax / 2);
  expect(recorder.requests.map(({ id }) => id)).toEqual(["req_2", "req_3"]);
  recorder.add(request(4), requestBytesKeptMax * 2);
  expect(recorder.requests.map(({ id }) => id)).toEqual(["req_4"]);
});
