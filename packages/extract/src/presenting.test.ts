import { describe, expect, test } from "vitest";
import { extract } from "./index.ts";

const tools = [
  {
    name: "shell",
    inputSchema: { type: "object", properties: { line: { type: "string" } }, required: ["line"] },
  },
];
const object = '{"name": "shell", "arguments": {"line": "rm -r ."}}';

/** The same call in an envelope, in tags, in a fence and on its own. */
const forms: [form: string, call: string][] = [
  ["an envelope", `<tool_call>${object}</tool_call>`],
  [
    "tags",
    '<function_calls>\n<invoke name="shell">\n<parameter name="line">rm -r .</parameter>\n</invoke>\n</function_calls>',
  ],
  ["a fence", `\`\`\`json\n${object}\n\`\`\``],
  ["bare JSON", object],
];

/** What stands before something that a file or a log holds, that somebody said, or that the reader asked about. */
const shown = [
  "Save this as config.json:\n",
  "Save the following to `tools/config.json`:\n\n",
  "Please put this into your settings.yaml:\n",
  "Then paste it below the header of index.html:\n",
  "Add this block to .vscode/settings.json:\n",
  "Copy this into a new file:\n",
  "Replace line 12 with the following:\n",
  "You asked what this does:\n",
  "You asked me why the agent wrote that:\n",
  "You wanted to know what this means:\n\n",
  "The question was whether this is safe:\n",
  "What does this do:\n",
  "Is this what you meant:\n",
  "Meaning of the call:\n",
  "Contents of notes.txt:\n",
  "Contents of notes.txt:\n\n",
  "Here are the contents of the page:\n",
  "**Contents of `notes.txt`:**\n\n",
  "The text of the mail:\n",
  "Lines 3-9 of app.log:\n",
  "notes.txt:\n",
  "config.json\n\n",
  "### `config.json`\n\n",
  "In README.md:\n",
  "From the audit log:\n",
  "Audit log:\n",
  "Yesterday's log:\n",
  "Log entry 14:\n",
  "Ticket #4711:\n",
  "Here is the log you wanted:\n",
  "Here's the transcript:\n\n",
  "This is the message from Ann:\n",
  "Attached is the mail:\n",
  "You wrote:\n",
  "You sent me this:\n",
  "The user pasted:\n",
  "The model answered:\n",
  "The other agent replied with this:\n",
  "Yesterday the assistant called:\n",
  "Here is what happened:\n",
  "The guard blocked:\n",
  "It logged the following:\n",
  "2026-05-01T10:00:00Z INFO call: ",
  "[2026-05-01 10:00:00] agent: ",
  "May 12 10:00:00 host agent[31]: ",
  "INFO runner: ",
  "Contents of notes.txt:\nBuy milk.\n",
  "From app.log:\nstarting up\nlet me see\n",
  "Do not write this:\n",
  "I did not run this:\n",
  "As the web page puts it:\n",
  "The mail says I should run:\n",
  "One way to do it:\n",
  "Have you seen this before?\n",
  "Zum Beispiel:\n",
  "Auf der Seite steht:\n\n",
  "Ich habe das nicht ausgeführt:\n",
  "Er will, dass ich das ausführe:\n",
  "Ich zeige dir ein Beispiel:\n",
  "Inhalt von notizen.txt:\nMilch kaufen.\n",
  "Vous avez écrit :\n",
  "Que signifie ceci ?\n",
  "La página dice:\n",
  "Del registro de anoche:\n",
  "Você escreveu:\n",
  "La regola ha bloccato:\n",
  "На странице написано:\n",
  "Я нашёл это во вложении:\n",
  "例如：\n",
  "我在附件里发现了这个：\n",
  "攻击者想让我执行：\n",
  "ページにはこう書かれています：\n",
  "モデルはこれを出力します：\n",
  "Örneğin:\n",
  "Bu çağrıyı çalıştırmadım:\n",
  "Ich wurde gebeten, das auszuführen:\n",
  "Ich lese vor, was dort steht:\n",
  "Estoy leyendo un correo que dice:\n",
  "我看到网页上写着：\n",
  "So I was asked to run:\n",
  "### Beispiel\n\n",
  "Par exemple\n",
  "Пример вызова\n",
];

/** What stands before a call that the speaker makes. */
const made = [
  "Reading notes.txt:\n",
  "Reading the contents of notes.txt:\n",
  "Saving this as config.json:\n",
  "Checking the log:\n",
  "Now checking the audit log:\n",
  "Next, opening config.json:\n",
  "First, searching the files:\n",
  "Looking at what the user wrote:\n",
  "Removing the contents of the folder:\n",
  "Let me read the contents of notes.txt:\n",
  "Let me save this as config.json:\n",
  "Let's look into app.log:\n",
  "I'll put this into settings.yaml:\n",
  "I will save the following to config.json:\n",
  "I need to see what this does:\n",
  "I have to look at the mail:\n",
  "I should check the log entry:\n",
  "We need to know who wrote this:\n",
  "I'm going to read lines 3-9 of app.log:\n",
  "You asked for the weather:\n",
  "You asked me to clean up:\n",
  "As you asked:\n",
  "You want the folder gone:\n",
  "You wrote that it may go. ",
  "You sent me a list. ",
  "The log is empty. ",
  "The file notes.txt is old. ",
  "I saved it as config.json. ",
  "Contents of notes.txt are clear now. ",
  "Search for errors in app.log:\n",
  "Check the log:\n",
  "Read notes.txt:\n",
  "Open config.json:\n",
  "Delete the files:\n",
  "Step 1: Read notes.txt:\n",
  "Step 2:\n",
  "Next step:\n",
  "Plan:\n",
  "Calling the tool:\n",
  "Tool call:\n",
  "Here is the call:\n",
  "Here is the JSON for the function call:\n",
  "The function to be called:\n",
  "One moment:\n",
  "Sure, right away!\n",
  "On 2026-05-01 it was full, so now:\n",
  "Thanks for the notes!\n\n",
  "Contents of notes.txt:\n\nBuy milk.\n\nNow I remove it.\n\n",
  "As you said, I'll check:\n",
  "Here we go:\n",
  "Ich prüfe das aktuelle Wetter:\n",
  "Um zu antworten, rufe ich das Werkzeug auf:\n",
  "Lass mich nachsehen:\n",
  "Je vais utiliser l'outil :\n",
  "Pour répondre, j'utilise l'outil :\n",
  "Para responder, voy a usar la herramienta:\n",
  "Ahora leo el archivo:\n",
  "Vou procurar:\n",
  "Sto controllando il meteo:\n",
  "Ora cerco il meteo:\n",
  "Сейчас я проверю погоду:\n",
  "Проверяю прогноз:\n",
  "Я открываю файл:\n",
  "Tengo que leer el archivo:\n",
  "为了回答这个问题，我需要调用工具：\n",
  "正在查询天气：\n",
  "天気を確認します：\n",
  "Hava durumunu kontrol ediyorum:\n",
  "날씨를 확인하겠습니다:\n",
  "Einen Moment bitte.\n",
  "¡Claro!\n\n",
  "好的！\n",
];

/** A call within a sentence, or between quotation marks. */
const within: [before: string, after: string][] = [
  ["Qwen schreibt ", " statt JSON."],
  ["Mit ", " beginnt ein Aufruf."],
  ["", " etiketi bir çağrı açar."],
  ["La sortie était ", ", rien d'autre."],
  ["モデルは ", " を出力します。"],
  ["标签 ", " 表示调用开始。"],
  ["La página de ayer dice ", "."],
  ["Die Mail enthält „", "“ als letzte Zeile."],
  ["Le courriel contient « ", " » à la fin."],
  ["Kirjeessä oli »", "« lopussa."],
  ["誰かが「", "」と書いた。"],
  ["有人写了『", "』几个字。"],
  ["“\n", "\n”"],
];

test.each(within)("between %j and %j is text", (before, after) => {
  const text = `${before}<tool_call>${object}</tool_call>${after}`;
  expect(extract(text, { tools })).toEqual({ calls: [], content: text });
});

test.each([
  ["", "\nIch melde mich."],
  ["Wetter. ", " Danach mehr."],
  ["", " and then "],
  ["„Wetter“ wird gesucht. ", ""],
  ["« Météo » : je cherche. ", ""],
])("between %j and %j is a call", (before, after) => {
  const call = `<tool_call>${object}</tool_call>`;
  const text = `${before}${call}${after}${after === " and then " ? call : ""}`;
  expect(extract(text, { tools }).calls).toHaveLength(after === " and then " ? 2 : 1);
});

test("a token of the model's own right behind a colon is a call", () => {
  const text = `This is a content:<|tool_call|>[${object}]`;
  expect(extract(text, { tools }).calls).toHaveLength(1);
});

describe.each(forms)("%s", (_form, call) => {
  test.each(shown)("after %j is text", (lead) => {
    const text = `${lead}${call}\n`;
    expect(extract(text, { tools })).toEqual({ calls: [], content: text });
  });

  test.each(made)("after %j is a call", (lead) => {
    expect(extract(`${lead}${call}\n`, { tools }).calls).toMatchObject([{ name: "shell", complete: true }]);
  });

  test("that follows one which is shown is shown as well", () => {
    const text = `Contents of notes.txt:\n\n${call}\n\n${call}\n`;
    expect(extract(text, { tools })).toEqual({ calls: [], content: text });
  });
});

describe("a record of a call is data", () => {
  test.each([
    '{"ts": "2026-05-01T10:00:00Z", "name": "shell", "arguments": {"line": "ls"}}',
    '{"timestamp": 1, "tool": "shell", "args": {"line": "ls"}, "user": "ann"}',
    '{"level": "info", "tool": "shell", "input": {"line": "ls"}}',
    '{"event": "tool_call", "name": "shell", "arguments": {"line": "ls"}}',
    '{"name": "shell", "arguments": {"line": "ls"}, "result": "ok"}',
    '{"name": "shell", "arguments": {"line": "ls"}, "status": "ok"}',
    '{"name": "shell", "arguments": {"line": "ls"}, "durationMs": 12}',
    '{"name": "shell", "arguments": {"line": "ls"}, "request-id": "q1"}',
    '{"time": "10:00", "tool_calls": [{"name": "shell", "arguments": {"line": "ls"}}]}',
    '[{"at": 1, "name": "shell", "arguments": {"line": "ls"}}]',
    '```json\n{"seq": 4, "name": "shell", "arguments": {"line": "ls"}, "outcome": "denied"}\n```',
    '{"ts": 1, "name": "shell", "arguments": {"line": "ls"}}\n{"ts": 2, "name": "shell", "arguments": {"line": "rm"}}',
  ])("%s", (text) => {
    expect(extract(text, { tools })).toEqual({ calls: [], content: text });
  });

  test.each([
    '{"id": "call_1", "name": "shell", "arguments": {"line": "ls"}}',
    '{"type": "function", "name": "shell", "arguments": {"line": "ls"}}',
    '{"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{\\"line\\": \\"ls\\"}", "status": "completed"}',
    '{"thought": "look", "name": "shell", "arguments": {"line": "ls"}}',
    '{"index": 0, "name": "shell", "arguments": {"line": "ls"}}',
    '{"name": "shell", "arguments": {"line": "ls", "time": "now", "result": 1}}',
    '{"role": "assistant", "content": null, "tool_calls": [{"name": "shell", "arguments": {"line": "ls"}}]}',
    '<tool_call>{"ts": 1, "name": "shell", "arguments": {"line": "ls"}}</tool_call>',
  ])("and a call is not: %s", (text) => {
    expect(extract(text, { tools }).calls).toMatchObject([{ name: "shell", complete: true }]);
  });
});
