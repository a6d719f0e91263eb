// Reads screenshots: the browser decodes its own PNGs.

async function load(png) {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, image.width, image.height)
}

function at(image, x, y) {
    const i = (y * image.width + x) * 4
    return '#' + [0, 1, 2].map(k => image.data[i + k].toString(16).padStart(2, '0')).join('')
}

// The colours of points of a screenshot.
async function colours(png, points) {
    const image = await load(png)
    return points.map(([x, y]) => at(image, x, y))
}
