// Shows /api/openapi.json: one foldable block per operation, with a form that sends GET requests to this server.
"use strict";

function element(tag, text, properties) {
  const made = Object.assign(document.createElement(tag), properties || {});
  if (text !== undefined) made.textContent = text;
  return made;
}

function schemaName(schema) {
  return schema && schema.$ref ? schema.$ref.split("/").pop() : "";
}

function typeOf(schema) {
  if (!schema) return "";
  if (schema.$ref) return schemaName(schema);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.type === "array") return "list of " + typeOf(schema.items);
  if (schema.additionalProperties) return "map of " + (typeOf(schema.additionalProperties) || "any");
  return schema.type || "any";
}

function resolved(schema, schemas) {
  return schema && schema.$ref ? schemas[schemaName(schema)] || {} : schema || {};
}

function limitsOf(schema) {
  const parts = [];
  if (schema.minimum !== undefined) parts.push("from " + schema.minimum);
  if (schema.maximum !== undefined) parts.push("to " + schema.maximum);
  if (schema.default !== undefined && schema.default !== "") parts.push("default " + schema.default);
  return parts.join(", ");
}

function choicesOf(schema, schemas) {
  const candidates = [schema, ...(schema.anyOf || [])].map((part) => resolved(part, schemas));
  const found = candidates.find((part) => part.enum);
  return found ? "one of " + found.enum.join(", ") : "";
}

function parameterRow(parameter, schemas) {
  const row = element("tr");
  const name = element("td");
  name.append(element("code", parameter.name));
  const schema = parameter.schema || {};
  const words = [parameter.description, choicesOf(schema, schemas), limitsOf(schema)].filter(Boolean).join(" · ");
  const input = element("input", undefined, { name: parameter.name });
  input.setAttribute("aria-label", parameter.name);
  input.dataset.place = parameter.in;
  const value = element("td");
  value.append(input);
  row.append(name, element("td", words), value);
  return row;
}

function asked(path, form) {
  const query = new URLSearchParams();
  let filled = path;
  for (const input of form.querySelectorAll("input")) {
    if (input.dataset.place === "path") {
      filled = filled.replace("{" + input.name + "}", encodeURIComponent(input.value));
    } else if (input.value) {
      query.append(input.name, input.value);
    }
  }
  const text = query.toString();
  return text ? filled + "?" + text : filled;
}

async function send(path, form, output) {
  const url = asked(path, form);
  output.hidden = false;
  output.textContent = "GET " + url + " …";
  try {
    const response = await fetch(url, { headers: { Accept: "application/json" } });
    const text = await response.text();
    let shown = text;
    try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it came */ }
    output.textContent = "GET " + url + "\n" + response.status + "\n\n" + shown;
  } catch (error) {
    output.textContent = "GET " + url + "\n" + error;
  }
}

function shapeTable(schema, schemas) {
  const found = resolved(schema, schemas);
  const table = element("table");
  for (const [name, part] of Object.entries(found.properties || {})) {
    const row = element("tr");
    const cell = element("td");
    cell.append(element("code", name));
    row.append(cell, element("td", typeOf(part)));
    table.append(row);
  }
  return table;
}

function tryForm(path, operation, schemas) {
  const form = element("form");
  const table = element("table");
  for (const parameter of operation.parameters || []) table.append(parameterRow(parameter, schemas));
  const output = element("pre", "", { hidden: true, tabIndex: 0 });
  form.append(table, element("button", "Send", { type: "submit" }), output);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(path, form, output);
  });
  return form;
}

function block(path, method, operation, schemas) {
  const details = element("details");
  const summary = element("summary");
  summary.append(element("span", method.toUpperCase(), { className: "method" }), element("code", path));
  summary.append(" " + (operation.summary || ""));
  const body = element("div");
  if (operation.description) body.append(element("p", operation.description));
  if (method === "get") body.append(tryForm(path, operation, schemas));
  const sent = (((operation.requestBody || {}).content || {})["application/json"] || {}).schema;
  if (sent) body.append(element("h3", "Body: " + (sent.title || "JSON")), shapeTable(sent, schemas));
  const answers = operation.responses || {};
  const content = (answers["200"] || answers["201"] || {}).content || {};
  const schema = (content["application/json"] || {}).schema;
  if (schema) body.append(element("h3", "Answer: " + typeOf(schema)), shapeTable(schema, schemas));
  details.append(summary, body);
  return details;
}

function shapesSection(schemas) {
  const section = element("section");
  section.append(element("h2", "Shapes"));
  for (const [name, schema] of Object.entries(schemas)) {
    const details = element("details");
    const summary = element("summary");
    summary.append(element("code", name));
    const body = element("div");
    if (schema.description) body.append(element("pre", schema.description));
    body.append(shapeTable(schema, schemas));
    details.append(summary, body);
    section.append(details);
  }
  return section;
}

function show(found, place) {
  const schemas = (found.components || {}).schemas || {};
  const sections = new Map();
  for (const [path, methods] of Object.entries(found.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = (operation.tags || ["other"])[0];
      if (!sections.has(tag)) {
        const section = element("section");
        section.append(element("h2", tag));
        sections.set(tag, section);
      }
      sections.get(tag).append(block(path, method, operation, schemas));
    }
  }
  place.replaceChildren(...sections.values(), shapesSection(schemas));
}

async function start() {
  const place = document.getElementById("operations");
  try {
    const response = await fetch("/api/openapi.json");
    show(await response.json(), place);
  } catch (error) {
    place.replaceChildren(element("p", "The description of the API could not be read: " + error));
  }
}

start();
