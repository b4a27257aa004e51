// Reads a comment as Markdown (or a snapshot of one) and writes the page that GitHub would show:
// GFM, GitHub's rules for what HTML stays, its stylesheet and its highlighting.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import rehypeRaw from 'rehype-raw'
import rehypeSanitize from 'rehype-sanitize'
import rehypeStarryNight from 'rehype-starry-night'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'

const require = createRequire(import.meta.url)
const style = (name) => readFile(require.resolve(name), 'utf8')

const snapshot = await readFile(process.argv[2], 'utf8')
// A snapshot has a head between two rules.
const markdown = snapshot.replace(/^---\n[\s\S]*?\n---\n/, '')

const body = await unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeSanitize)
  .use(rehypeStarryNight)
  .use(rehypeStringify)
  .process(markdown)

// As a reader sees it who has opened the first case.
const opened = String(body).replace('<details>', '<details open>')

process.stdout.write(`<!doctype html>
<meta charset="utf-8">
<title>A comment of driftgate</title>
<style>
${await style('github-markdown-css/github-markdown-light.css')}
${await style('@wooorm/starry-night/style/light')}
body { margin: 0; padding: 16px; background: #fff; width: 880px; box-sizing: border-box }
.box { border: 1px solid #d1d9e0; border-radius: 6px; overflow: hidden }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; color: #59636e;
  font: 14px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif }
.head b { color: #1f2328 }
.head i { font-style: normal; font-size: 12px; border: 1px solid #d1d9e0; border-radius: 2em; padding: 0 6px; margin-right: 4px }
/* What github.com sets for comments. */
.markdown-body { padding: 16px; font-size: 14px;
  font-family: -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif }
</style>
<div class="box">
<div class="head"><b>github-actions</b> <i>bot</i> commented</div>
<div class="markdown-body">
${opened}
</div>
</div>
<script>document.documentElement.dataset.height = document.documentElement.scrollHeight</script>
`)
