import { Agent, type RequestOptions, request } from "node:http";
import { getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { ClientOrder, ClientReport } from "./good-client.ts";
import type { Question } from "./questions.ts";

const HIGH_PRIORITY = -5;

/** So that what is measured is the server, not this process waiting for a processor; only an administrator may. */
try {
  setPriority(Math.min(getPriority(), HIGH_PRIORITY));
} catch {}

process.once("message", async ({ port, from, questions, perSecond, answerMs }: ClientOrder) => {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, timeout: 60_000 });
  const latenciesMs: number[] = [];
  const lost: Record<string, number> = {};
  const expected = new Map<string, string>();
  let asked = 0;
  let slowest = { ms: 0, name: "" };

  const overHttp = (question: Question, isKept: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const options: RequestOptions = {
        ...{ host: "127.0.0.1", port, localAddress: from, path: question.path, agent: isKept ? agent : false },
        ...(question.body === undefined
          ? {}
          : { method: "POST", headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(question.body) } }),
      };
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString());
          else reject(new Error(`status ${response.statusCode}`));
        });
        response.on("error", reject);
      });
      // one that the server closed just now, as HTTP allows, is not the server's fault: what goes wrong there is tried again on a new one
      sent.on("error", (error) => (isKept && sent.reusedSocket ? overHttp(question, false).then(resolve, reject) : reject(error)));
      sent.end(question.body);
    });

  const overWebSocket = (question: Question): Promise<string> =>
    new Promise((resolve, reject) => {
      const client = new WebSocket(`ws://127.0.0.1:${port}${question.path}`, { localAddress: from });
      client.once("open", () => client.send(question.body!));
      client.once("message", (data) => {
        resolve(String(data));
        client.close();
      });
      client.once("error", reject);
      client.once("close", (code) => reject(new Error(`WebSocket closed with ${code}`)));
    });

  const askOnce = async (question: Question, isKept: boolean): Promise<string> => {
    const answer = question.isWebSocket ? overWebSocket(question) : overHttp(question, isKept);
    answer.catch(() => {});
    const giveUp = new AbortController();
    const late = sleep(answerMs, undefined, { signal: giveUp.signal }).then(() => Promise.reject(new Error("no answer")));
    late.catch(() => {});
    const text = await Promise.race([answer, late]).finally(() => giveUp.abort());
    const isRight = question.isFixed ? text === (expected.get(question.name) ?? text) : text.includes(question.holds);
    if (!isRight) throw new Error(`wrong answer ${text.slice(0, 100)}`);
    return text;
  };

  const ask = async (question: Question, isKept: boolean) => {
    asked++;
    const dueAt = performance.now();
    try {
      await askOnce(question, isKept);
      const ms = performance.now() - dueAt;
      latenciesMs.push(ms);
      if (ms > slowest.ms) slowest = { ms, name: `${question.name}${isKept ? "" : ", new connection"}` };
    } catch (error) {
      const reason = `${question.name}: ${(error as Error).message}`;
      lost[reason] = (lost[reason] ?? 0) + 1;
    }
  };

  try {
    for (const question of questions) {
      const text = await askOnce(question, true);
      if (!text.includes(question.holds)) throw new Error(`${question.name}: ${text.slice(0, 200)}`);
      expected.set(question.name, text);
    }
    // what is compiled or read at the first request is not what is measured
    for (let warm = 0; warm < 5; warm++) for (const question of questions) await askOnce(question, warm % 2 === 0);
  } catch (error) {
    process.send!({ problem: (error as Error).message }, () => process.exit(1));
    return;
  }
  process.send!({});

  const running = new Set<Promise<void>>();
  let next = 0;
  const timer = setInterval(
    () => {
      const question = questions[next % questions.length]!;
      const asking = ask(question, Math.floor(next / questions.length) % 2 === 0).finally(() => running.delete(asking));
      running.add(asking);
      next++;
    },
    1000 / (perSecond * questions.length),
  );
  process.once("message", async () => {
    clearInterval(timer);
    await Promise.all(running);
    const report: ClientReport = { asked, lost, latenciesMs, slowest: slowest.name };
    process.send!(report, () => process.exit(0));
  });
});
