// What a page of pictures looks like, in words: complaints about texts and shapes, and the colours of texts and of what is below them.

const SHAPES = 'rect,path,circle,image,line,polygon'

function name(element) {
    const text = element.querySelector(':scope > title')?.textContent ?? element.textContent
    return `${element.tagName}.${element.getAttribute('class') ?? ''} '${text.slice(0, 40)}'`
}

// Boxes of texts, which take space where there are letters.
function textsOf(svg) {
    const origin = svg.getBoundingClientRect()
    return [...svg.querySelectorAll('text')].filter(text => text.textContent.trim() !== '').map(element => {
        const box = element.getBoundingClientRect()
        return {element, left: box.left - origin.left, right: box.right - origin.left, top: box.top - origin.top, bottom: box.bottom - origin.top}
    })
}

// No text is over another by more than 3 pixels of its height.
function overlaps(texts) {
    const found = [], open = []
    for (const text of texts.toSorted((a, b) => a.top - b.top)) {
        for (const other of open) {
            const height = Math.min(text.bottom, other.bottom) - text.top, width = Math.min(text.right, other.right) - Math.max(text.left, other.left)
            if (height > 3 && width > 0.5)
                found.push(`${name(text.element)} is over ${name(other.element)} by ${width.toFixed(1)} x ${height.toFixed(1)}`)
        }
        open.push(text)
        open.splice(0, open.length, ...open.filter(other => other.bottom > text.top))
    }
    return found
}

function outside(svg, texts) {
    const {width, height} = svg.viewBox.baseVal, found = []
    for (const text of texts)
        if (text.left < 0 || text.right > width || text.top < 0 || text.bottom > height)
            found.push(`${name(text.element)} is outside: ${text.left.toFixed(1)} to ${text.right.toFixed(1)}`)
    for (const shape of svg.querySelectorAll(SHAPES)) {
        const box = shape.getBBox()
        if (box.x < -1 || box.y < -1 || box.x + box.width > width + 1 || box.y + box.height > height + 1)
            found.push(`${name(shape)} is outside: ${box.x}, ${box.y}, ${box.width} x ${box.height}`)
    }
    return found
}

// A name stays in its bar.
function overruns(svg, texts) {
    const found = []
    const bars = [...svg.querySelectorAll('.xt-call,.xt-box')].map(bar => bar.getBBox())
    for (const text of texts.filter(text => /xt-on-/.test(text.element.getAttribute('class')))) {
        const y = (text.top + text.bottom) / 2, x = text.left + 1
        const bar = bars.filter(bar => bar.x <= x && x < bar.x + bar.width && bar.y <= y && y < bar.y + bar.height)[0]
        if (!bar || text.right > bar.x + bar.width)
            found.push(`${name(text.element)} leaves its bar`)
    }
    return found
}

function small(texts) {
    return texts.filter(text => parseFloat(getComputedStyle(text.element).fontSize) < 10.5).map(text => `${name(text.element)} is small`)
}

function problems() {
    const found = {}
    for (const svg of document.querySelectorAll('svg.xt')) {
        const texts = textsOf(svg)
        found[svg.parentElement.id] = {texts: texts.length, problems: [...overlaps(texts), ...outside(svg, texts), ...overruns(svg, texts), ...small(texts)]}
    }
    return found
}

// The colour that is seen around the letters of a text: of their halo, or of what is below the text's middle.
function groundOf(text) {
    const own = getComputedStyle(text)
    if (own.paintOrder.startsWith('stroke') && own.stroke.startsWith('rgb'))
        return own.stroke
    const box = text.getBoundingClientRect(), layers = []
    for (const element of document.elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)) {
        const style = getComputedStyle(element)
        if (!element.matches(SHAPES) || element.tagName === 'image' || !style.fill.startsWith('rgb'))
            continue
        layers.push([style.fill.match(/[0-9]+/g).map(Number), Number(style.fillOpacity)])
        if (style.fillOpacity === '1')
            break
    }
    const seen = layers.reduceRight((below, [colour, opacity]) => colour.map((c, i) => c * opacity + below[i] * (1 - opacity)), [255, 255, 255])
    return `rgb(${seen.map(Math.round).join(', ')})`
}

// Pairs of colours of texts and of the grounds below them, each with one of the texts.
function pairs() {
    const found = {}
    for (const text of document.querySelectorAll('svg.xt text'))
        if (text.textContent.trim() !== '')
            found[getComputedStyle(text).fill + ' on ' + groundOf(text)] = name(text)
    return found
}
