#!/usr/bin/env python3
"""Takes out of GitHub's own description of its API, and of its own examples of payloads, what the
tests need. To make the files here again, in an empty folder:

    npm pack @octokit/openapi@23.0.2 @octokit/webhooks-examples@7.6.1
    mkdir openapi examples
    tar xzf octokit-openapi-23.0.2.tgz -C openapi
    tar xzf octokit-webhooks-examples-7.6.1.tgz -C examples
    python3 extract.py openapi/package examples/package OUT

Both packages are under the MIT license.
"""
import json
import pathlib
import sys

OPERATIONS = [
    ("post", "/repos/{owner}/{repo}/check-runs"),
    ("patch", "/repos/{owner}/{repo}/check-runs/{check_run_id}"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("delete", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("get", "/repos/{owner}/{repo}/pulls"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/files"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/comments"),
    ("post", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"),
    ("delete", "/repos/{owner}/{repo}/pulls/comments/{comment_id}"),
    ("get", "/user"),
]
# Name, action and index among the examples of that name.
PAYLOADS = [("pull_request", 22), ("merge_group", 0), ("push", 4), ("workflow_run", 1)]
PROSE = {"description", "example", "examples", "externalDocs", "x-github"}


def resolved(value, document):
    """`value` with every reference replaced by what it refers to, and without prose."""
    if isinstance(value, list):
        return [resolved(item, document) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        found = document
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return resolved(found, document)
    properties = value.get("properties")
    kept = {k: resolved(v, document) for k, v in value.items() if k not in PROSE and k != "properties"}
    if isinstance(properties, dict):
        # A property may be called like a word of prose.
        kept["properties"] = {k: resolved(v, document) for k, v in properties.items()}
    return kept


def operations(package):
    document = json.loads((package / "generated/api.github.com.json").read_text())
    for method, path in OPERATIONS:
        found = document["paths"][path][method]
        shared = document["paths"][path].get("parameters", [])
        parameters = resolved(shared + found.get("parameters", []), document)
        body = found.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        yield {
            "method": method.upper(),
            "path": path,
            "parameters": [{k: p[k] for k in ("name", "in", "required", "schema") if k in p} for p in parameters],
            "body": resolved(body, document),
        }


def source(package):
    about = json.loads((package / "package.json").read_text())
    return {"package": about["name"], "version": about["version"], "license": about["license"]}


def main():
    openapi, examples, out = map(pathlib.Path, sys.argv[1:])

    def write(name, value):
        (out / name).write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")

    write("operations.json", {**source(openapi), "operations": list(operations(openapi))})
    found = json.loads((examples / "api.github.com/index.json").read_text())
    by_name = {event["name"]: event["examples"] for event in found}
    for name, index in PAYLOADS:
        write(f"{name}.json", by_name[name][index])


main()
