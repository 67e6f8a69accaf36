<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;Generate</source>
        <translation>生成(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>Stop &amp;after this picture</source>
        <translation>画完这张后停止(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Clear waiting pictures</source>
        <translation>清空等待队列(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Save picture as…</source>
        <translation>图片另存为(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Copy picture</source>
        <translation>复制图片(&amp;C)</translation>
    </message>
    <message>
        <source>Show in &amp;folder</source>
        <translation>在文件夹中显示(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Open pictures folder</source>
        <translation>打开图片文件夹(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Fit to window</source>
        <translation>适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Actual size (100 %)</source>
        <translation>实际大小（100%）(&amp;A)</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;About Danqing</source>
        <translation>关于丹青(&amp;A)</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>Describe a picture, then press Generate</source>
        <translation>描述一幅画面，然后点击“生成”</translation>
    </message>
    <message>
        <source>Or begin with one of these:</source>
        <translation>或者从这些例子开始：</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>The picture is in memory only: save it now with “{save_as}”.</source>
        <translation>图片目前只在内存中，请立即用“{save_as}”保存。</translation>
    </message>
    <message>
        <source>The picture was put here instead: {path}</source>
        <translation>图片已改存到：{path}</translation>
    </message>
    <message>
        <source>Danqing {version}</source>
        <translation>丹青 {version}</translation>
    </message>
    <message>
        <source>Pictures from words, drawn on this computer by ERNIE-Image models.</source>
        <translation>用文字作画：由 ERNIE-Image 模型在本机生成图片。</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Pict&amp;ure</source>
        <translation>图片(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Danqing</source>
        <translation>丹青</translation>
    </message>
    <message>
        <source>A picture is still being drawn.</source>
        <translation>还有图片正在生成。</translation>
    </message>
    <message>
        <source>If you quit now, it is given up.</source>
        <translation>现在退出，未完成的图片将被放弃。</translation>
    </message>
    <message>
        <source>Keep drawing</source>
        <translation>继续生成</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>reading it is not permitted</source>
        <translation>没有读取权限</translation>
    </message>
    <message>
        <source>it is not a file</source>
        <translation>它不是文件</translation>
    </message>
    <message>
        <source>it is a link that leads back to itself</source>
        <translation>它是指向自身的链接</translation>
    </message>
    <message>
        <source>the disk reports an error</source>
        <translation>磁盘报告错误</translation>
    </message>
    <message>
        <source>its name says that it is a pickle</source>
        <translation>从文件名看它是 pickle 文件</translation>
    </message>
    <message>
        <source>it is a pickle, whatever its name says</source>
        <translation>无论文件名如何，它其实是 pickle 文件</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>文件是空的</translation>
    </message>
    <message>
        <source>it is a Git LFS pointer, a small stand-in for the real file</source>
        <translation>它只是 Git LFS 指针，并非真正的文件</translation>
    </message>
    <message>
        <source>it is a web page that was saved in place of the file</source>
        <translation>保存下来的是网页，而不是文件本身</translation>
    </message>
    <message>
        <source>it is cut off</source>
        <translation>文件不完整</translation>
    </message>
    <message>
        <source>it is cut off, or no safetensors file</source>
        <translation>文件不完整，或者不是 safetensors 文件</translation>
    </message>
    <message>
        <source>it is no safetensors file</source>
        <translation>它不是 safetensors 文件</translation>
    </message>
    <message>
        <source>its table of contents cannot be read</source>
        <translation>文件目录无法读取</translation>
    </message>
    <message>
        <source>there is more in it than its table of contents says</source>
        <translation>文件内容比其目录所列的多</translation>
    </message>
    <message>
        <source>this list of files cannot be read</source>
        <translation>文件清单无法读取</translation>
    </message>
    <message>
        <source>it names a file outside its own folder</source>
        <translation>它指向了所在文件夹之外的文件</translation>
    </message>
    <message>
        <source>a file that it names is not there</source>
        <translation>它所列的文件不存在</translation>
    </message>
    <message>
        <source>the list of its parts (…index.json) is not there</source>
        <translation>缺少分片清单（…index.json）</translation>
    </message>
    <message>
        <source>there are several weight files, and none has the usual name</source>
        <translation>有多个权重文件，但没有一个使用常规名称</translation>
    </message>
    <message>
        <source>a tensor is in it twice</source>
        <translation>有张量重复出现</translation>
    </message>
    <message>
        <source>a tensor is missing</source>
        <translation>缺少张量</translation>
    </message>
    <message>
        <source>it holds a tensor that this model does not have</source>
        <translation>含有此模型没有的张量</translation>
    </message>
    <message>
        <source>a tensor has the wrong shape</source>
        <translation>张量形状不对</translation>
    </message>
    <message>
        <source>its number format cannot be used</source>
        <translation>其数值格式无法使用</translation>
    </message>
    <message>
        <source>it is a GGUF file</source>
        <translation>它是 GGUF 文件</translation>
    </message>
    <message>
        <source>it is another kind of network</source>
        <translation>它是另一种网络</translation>
    </message>
    <message>
        <source>it has tokens that the text encoder does not know</source>
        <translation>其中有文本编码器不认识的词元</translation>
    </message>
    <message>
        <source>a tensor holds values that are no numbers</source>
        <translation>有张量含有非数值</translation>
    </message>
    <message>
        <source>a value in it is not one that Danqing can use</source>
        <translation>其中有丹青无法使用的值</translation>
    </message>
    <message>
        <source>its parts do not fit together</source>
        <translation>其各部分互不匹配</translation>
    </message>
    <message>
        <source>this configuration cannot be read</source>
        <translation>配置无法读取</translation>
    </message>
    <message>
        <source>this description of the model cannot be read</source>
        <translation>模型说明无法读取</translation>
    </message>
    <message>
        <source>it is one file, and a model is a folder</source>
        <translation>它是单个文件，而模型应是文件夹</translation>
    </message>
    <message>
        <source>it is another kind of model</source>
        <translation>它是另一种模型</translation>
    </message>
    <message>
        <source>it is one part of a model, not a whole one</source>
        <translation>它只是模型的一部分，并不完整</translation>
    </message>
    <message>
        <source>the folder is empty</source>
        <translation>文件夹是空的</translation>
    </message>
    <message>
        <source>there is no model_index.json in it</source>
        <translation>其中没有 model_index.json</translation>
    </message>
    <message>
        <source>the installed PaddlePaddle computes on the CPU only</source>
        <translation>已安装的 PaddlePaddle 只能用 CPU 计算</translation>
    </message>
    <message>
        <source>there is no such device</source>
        <translation>没有这个设备</translation>
    </message>
    <message>
        <source>the check of this machine has not allowed it yet</source>
        <translation>系统检查尚未允许使用它</translation>
    </message>
    <message>
        <source>the installed PaddlePaddle has no kernels for this kind of GPU</source>
        <translation>已安装的 PaddlePaddle 不支持这种显卡</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>加载模型</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>读取提示词</translation>
    </message>
    <message>
        <source>drawing</source>
        <translation>绘制</translation>
    </message>
    <message>
        <source>developing the picture</source>
        <translation>解码图片</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Get the file again from where the model came from.</source>
        <translation>请从模型的来源重新获取该文件。</translation>
    </message>
    <message>
        <source>Choose a folder that holds a model_index.json and the model&apos;s parts.</source>
        <translation>请选择包含 model_index.json 和模型各部分的文件夹。</translation>
    </message>
    <message>
        <source>Danqing draws with ERNIE-Image models in folders.</source>
        <translation>丹青使用以文件夹形式存放的 ERNIE-Image 模型。</translation>
    </message>
    <message>
        <source>Make the picture smaller, close other programs, or use another model.</source>
        <translation>请缩小图片尺寸、关闭其他程序，或换用别的模型。</translation>
    </message>
    <message>
        <source>Try again; if it happens again, please report it.</source>
        <translation>请重试；如果再次出现，请反馈给我们。</translation>
    </message>
    <message>
        <source>There is no model “{model}”.</source>
        <translation>没有名为“{model}”的模型。</translation>
    </message>
    <message>
        <source>Known models: {known}. A folder works too.</source>
        <translation>已有的模型：{known}。也可以指定文件夹。</translation>
    </message>
    <message>
        <source>{path} is no model: {reason}.</source>
        <translation>{path} 不是模型：{reason}。</translation>
    </message>
    <message>
        <source>There is nothing at {path}.</source>
        <translation>{path} 处没有任何内容。</translation>
    </message>
    <message>
        <source>The model is not there.</source>
        <translation>模型不存在。</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>请选择其他模型。</translation>
    </message>
    <message>
        <source>{file} cannot be read: {reason} ({detail}).</source>
        <translation>无法读取 {file}：{reason}（{detail}）。</translation>
    </message>
    <message>
        <source>{file} cannot be read: {reason}.</source>
        <translation>无法读取 {file}：{reason}。</translation>
    </message>
    <message>
        <source>No files can be made in {path}.</source>
        <translation>无法在 {path} 中创建文件。</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions and the disk.</source>
        <translation>请检查文件权限和磁盘。</translation>
    </message>
    <message>
        <source>A file of the model cannot be read.</source>
        <translation>模型的某个文件无法读取。</translation>
    </message>
    <message>
        <source>Check the files&apos; permissions and the disk.</source>
        <translation>请检查文件权限和磁盘。</translation>
    </message>
    <message>
        <source>{file} does not fit: {reason} ({tensor}: {found} where {expected} is needed).</source>
        <translation>{file} 不匹配：{reason}（{tensor}：实际为 {found}，应为 {expected}）。</translation>
    </message>
    <message>
        <source>{file} does not fit: {reason} ({tensor}).</source>
        <translation>{file} 不匹配：{reason}（{tensor}）。</translation>
    </message>
    <message>
        <source>{file} is damaged: {reason} ({size_bytes} of {expected_bytes}).</source>
        <translation>{file} 已损坏：{reason}（只有 {size_bytes}，应为 {expected_bytes}）。</translation>
    </message>
    <message>
        <source>{file}: {reason} ({entry}).</source>
        <translation>{file}：{reason}（{entry}）。</translation>
    </message>
    <message>
        <source>{file} is damaged: {reason} ({detail}).</source>
        <translation>{file} 已损坏：{reason}（{detail}）。</translation>
    </message>
    <message>
        <source>{file} is damaged: {reason}.</source>
        <translation>{file} 已损坏：{reason}。</translation>
    </message>
    <message>
        <source>A file of the model is damaged.</source>
        <translation>模型的某个文件已损坏。</translation>
    </message>
    <message>
        <source>{file} cannot be used: {reason} ({found}).</source>
        <translation>{file} 无法使用：{reason}（{found}）。</translation>
    </message>
    <message>
        <source>{file} cannot be used: it is {found}.</source>
        <translation>{file} 无法使用：它是 {found}。</translation>
    </message>
    <message>
        <source>{file} cannot be used: {reason}.</source>
        <translation>{file} 无法使用：{reason}。</translation>
    </message>
    <message>
        <source>This is a kind of model that cannot be used.</source>
        <translation>这种模型无法使用。</translation>
    </message>
    <message>
        <source>{file} was not opened: files of this kind can run programs when they are read.</source>
        <translation>没有打开 {file}：读取这类文件时可能会运行程序。</translation>
    </message>
    <message>
        <source>Get the model as .safetensors files.</source>
        <translation>请获取 .safetensors 格式的模型。</translation>
    </message>
    <message>
        <source>The model was not opened: its files can run programs when they are read.</source>
        <translation>没有打开该模型：读取它的文件时可能会运行程序。</translation>
    </message>
    <message>
        <source>{name}: {value} is not allowed.</source>
        <translation>{name}：不允许的值 {value}。</translation>
    </message>
    <message>
        <source>Allowed: {allowed}.</source>
        <translation>允许的值：{allowed}。</translation>
    </message>
    <message>
        <source>A value is not allowed.</source>
        <translation>有一个值不被允许。</translation>
    </message>
    <message>
        <source>This model cannot draw {width}x{height}.</source>
        <translation>此模型不能生成 {width}x{height} 的图片。</translation>
    </message>
    <message>
        <source>This model cannot draw this size.</source>
        <translation>此模型不能生成这个尺寸的图片。</translation>
    </message>
    <message>
        <source>Not enough memory on {device} while {phase}: {needed_bytes} needed, {free_bytes} free.</source>
        <translation>{phase}时 {device} 内存不足：需要 {needed_bytes}，可用 {free_bytes}。</translation>
    </message>
    <message>
        <source>Not enough memory on {device} while {phase}.</source>
        <translation>{phase}时 {device} 内存不足。</translation>
    </message>
    <message>
        <source>Not enough memory.</source>
        <translation>内存不足。</translation>
    </message>
    <message>
        <source>{device} cannot be used: {reason}.</source>
        <translation>{device} 无法使用：{reason}。</translation>
    </message>
    <message>
        <source>Use the CPU instead: it works on every machine.</source>
        <translation>请改用 CPU：它在任何机器上都能工作。</translation>
    </message>
    <message>
        <source>The device cannot be used.</source>
        <translation>该设备无法使用。</translation>
    </message>
    <message>
        <source>{device} stopped answering while {phase}.</source>
        <translation>{phase}时 {device} 停止响应。</translation>
    </message>
    <message>
        <source>Restart Danqing; if it happens again, look for a GPU reset in the system&apos;s log.</source>
        <translation>请重启丹青；如果再次出现，请在系统日志中查找显卡重置的记录。</translation>
    </message>
    <message>
        <source>The device stopped answering.</source>
        <translation>设备停止响应。</translation>
    </message>
    <message>
        <source>The computation went out of range while {phase}, at step {step}: there is no picture.</source>
        <translation>{phase}时（第 {step} 步）计算超出范围，没有得到图片。</translation>
    </message>
    <message>
        <source>Lower the guidance, or use the other sampler.</source>
        <translation>请降低引导强度，或换用另一种采样器。</translation>
    </message>
    <message>
        <source>The computation went out of range: there is no picture.</source>
        <translation>计算超出范围，没有得到图片。</translation>
    </message>
    <message>
        <source>The library {library} cannot be loaded: {reason}.</source>
        <translation>无法加载程序库 {library}：{reason}。</translation>
    </message>
    <message>
        <source>Install Danqing again.</source>
        <translation>请重新安装丹青。</translation>
    </message>
    <message>
        <source>A library that Danqing needs cannot be loaded.</source>
        <translation>丹青所需的某个程序库无法加载。</translation>
    </message>
    <message>
        <source>The engine stopped before the picture was made.</source>
        <translation>图片生成之前引擎已停止。</translation>
    </message>
    <message>
        <source>Start Danqing again.</source>
        <translation>请重新启动丹青。</translation>
    </message>
    <message>
        <source>Something in Danqing is broken ({exception}); the details are in {log}</source>
        <translation>丹青出现内部错误（{exception}），详情见 {log}</translation>
    </message>
    <message>
        <source>Something in Danqing is broken ({exception}).</source>
        <translation>丹青出现内部错误（{exception}）。</translation>
    </message>
    <message>
        <source>Something in Danqing is broken.</source>
        <translation>丹青出现内部错误。</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>请选择其他文件夹。</translation>
    </message>
    <message>
        <source>The disk of {path} is full.</source>
        <translation>{path} 所在的磁盘已满。</translation>
    </message>
    <message>
        <source>Free some space, or choose another folder.</source>
        <translation>请释放一些空间，或选择其他文件夹。</translation>
    </message>
    <message>
        <source>Your share of the disk of {path} is used up.</source>
        <translation>您在 {path} 所在磁盘上的配额已用完。</translation>
    </message>
    <message>
        <source>The disk of {path} can only be read.</source>
        <translation>{path} 所在的磁盘是只读的。</translation>
    </message>
    <message>
        <source>Writing to {path} is not permitted.</source>
        <translation>没有写入 {path} 的权限。</translation>
    </message>
    <message>
        <source>{path} is not a folder.</source>
        <translation>{path} 不是文件夹。</translation>
    </message>
    <message>
        <source>The folder {path} is gone.</source>
        <translation>文件夹 {path} 已不存在。</translation>
    </message>
    <message>
        <source>The name of the picture is too long for {path}.</source>
        <translation>图片名称对 {path} 来说太长。</translation>
    </message>
    <message>
        <source>Choose a shorter name.</source>
        <translation>请选择较短的名称。</translation>
    </message>
    <message>
        <source>The picture cannot be saved in {path}: {reason}.</source>
        <translation>无法将图片保存到 {path}：{reason}。</translation>
    </message>
    <message>
        <source>it is no recording of a machine</source>
        <translation>这不是一份机器记录</translation>
    </message>
    <message>
        <source>a newer Danqing has recorded it</source>
        <translation>它由更新版本的丹青记录</translation>
    </message>
    <message>
        <source>it is too large for a recording of a machine</source>
        <translation>作为机器记录，它太大了</translation>
    </message>
    <message>
        <source>it is damaged</source>
        <translation>它已损坏</translation>
    </message>
    <message>
        <source>{file} cannot be opened: {reason}.</source>
        <translation>无法打开 {file}：{reason}。</translation>
    </message>
    <message>
        <source>danqing check --bundle FILE.zip records a machine.</source>
        <translation>用 danqing check --bundle FILE.zip 可以记录一台机器。</translation>
    </message>
    <message>
        <source>This recording of a machine cannot be opened.</source>
        <translation>无法打开这份机器记录。</translation>
    </message>
    <message>
        <source>{file} cannot be written: {reason}.</source>
        <translation>无法写入 {file}：{reason}。</translation>
    </message>
    <message>
        <source>A file cannot be written.</source>
        <translation>有文件无法写入。</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>seed {seed}</source>
        <translation>种子 {seed}</translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n 步</numerusform>
        </translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>This file cannot be shown</source>
        <translation>无法显示此文件</translation>
    </message>
</context>
<context>
    <name>ProgressRow</name>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Starting the engine…</source>
        <translation>正在启动引擎…</translation>
    </message>
    <message>
        <source>Waiting for the engine to start…</source>
        <translation>正在等待引擎启动…</translation>
    </message>
    <message>
        <source>Beginning…</source>
        <translation>即将开始…</translation>
    </message>
    <message>
        <source>Picture {number} of {count}: {doing}</source>
        <translation>第 {number}/{count} 张，{doing}</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Loading the model, {part}: {percent} %</source>
        <translation>正在加载模型（{part}）：{percent}%</translation>
    </message>
    <message>
        <source>Reading the prompt…</source>
        <translation>正在读取提示词…</translation>
    </message>
    <message>
        <source>Drawing, step {step} of {steps}</source>
        <translation>正在绘制：第 {step} 步，共 {steps} 步</translation>
    </message>
    <message>
        <source>Developing, part {part} of {parts}</source>
        <translation>正在解码：第 {part} 块，共 {parts} 块</translation>
    </message>
    <message>
        <source>Developing…</source>
        <translation>正在解码…</translation>
    </message>
    <message>
        <source>text encoder</source>
        <translation>文本编码器</translation>
    </message>
    <message>
        <source>transformer</source>
        <translation>Transformer</translation>
    </message>
    <message>
        <source>decoder</source>
        <translation>解码器</translation>
    </message>
    <message>
        <source>{doing}. Stops after this picture.</source>
        <translation>{doing}。画完这张后停止。</translation>
    </message>
    <message>
        <source>Stopping… waiting for the engine to finish starting</source>
        <translation>正在停止…等待引擎完成启动</translation>
    </message>
    <message>
        <source>Stopping… waiting for the part of the model being read</source>
        <translation>正在停止…等待当前模型文件读取完毕</translation>
    </message>
    <message>
        <source>Stopping… waiting for the part being developed</source>
        <translation>正在停止…等待当前图块解码完毕</translation>
    </message>
    <message>
        <source>Stopping… waiting for the current step to end</source>
        <translation>正在停止…等待当前步骤结束</translation>
    </message>
    <message>
        <source>about {duration} left</source>
        <translation>剩余约 {duration}</translation>
    </message>
</context>
<context>
    <name>PromptPanel</name>
    <message>
        <source>A seed is a whole number from 0 to {largest}.</source>
        <translation>种子是 0 到 {largest} 之间的整数。</translation>
    </message>
    <message>
        <source>This model can draw {sizes} only.</source>
        <translation>此模型只能生成 {sizes} 的图片。</translation>
    </message>
    <message>
        <source>Both sides must be multiples of {multiple}.</source>
        <translation>宽和高都必须是 {multiple} 的倍数。</translation>
    </message>
    <message>
        <source>Both sides must be from {smallest} to {largest} pixels.</source>
        <translation>宽和高都必须在 {smallest} 到 {largest} 像素之间。</translation>
    </message>
    <message>
        <source>A size is written like {example}.</source>
        <translation>尺寸的写法如 {example}。</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <comment>jobs</comment>
        <translation>
            <numerusform>%n 个任务在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>Describe a picture first.</source>
        <translation>请先描述画面。</translation>
    </message>
    <message>
        <source>{generate} to generate, {stop} to stop</source>
        <translation>{generate} 生成，{stop} 停止</translation>
    </message>
    <message>
        <source>&amp;Prompt</source>
        <translation>提示词(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Negative prompt</source>
        <translation>反向提示词(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>尺寸(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation>步数(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Guidance</source>
        <translation>引导强度(&amp;G)</translation>
    </message>
    <message>
        <source>Samp&amp;ler</source>
        <translation>采样器(&amp;L)</translation>
    </message>
    <message>
        <source>Pi&amp;ctures</source>
        <translation>张数(&amp;C)</translation>
    </message>
    <message>
        <source>S&amp;eed</source>
        <translation>种子(&amp;E)</translation>
    </message>
    <message>
        <source>What should the picture show? English or Chinese.</source>
        <translation>想画什么？中文、英文都可以。</translation>
    </message>
    <message>
        <source>What it should not show</source>
        <translation>不希望出现的内容</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清空</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>交换宽和高</translation>
    </message>
    <message>
        <source>More steps take longer and can make finer pictures.</source>
        <translation>步数越多用时越长，画面可能更精细。</translation>
    </message>
    <message>
        <source>How closely the picture follows the prompt. At 1 or less the negative prompt has no effect, and a step takes half the time.</source>
        <translation>画面贴合提示词的程度。为 1 或更低时反向提示词不起作用，每步用时减半。</translation>
    </message>
    <message>
        <source>How many pictures to draw, each with the next seed</source>
        <translation>生成的张数，每张依次使用下一个种子</translation>
    </message>
    <message>
        <source>Prompts that this model does well</source>
        <translation>此模型擅长的提示词</translation>
    </message>
</context>
<context>
    <name>SeedField</name>
    <message>
        <source>A whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Random, last {seed}</source>
        <translation>随机，上次为 {seed}</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same seed and the same settings make the same picture again.</source>
        <translation>相同的种子和设置会得到相同的图片。</translation>
    </message>
    <message>
        <source>A new random seed for each picture</source>
        <translation>每次使用新的随机种子</translation>
    </message>
    <message>
        <source>Use the last seed again</source>
        <translation>再次使用上次的种子</translation>
    </message>
</context>
<context>
    <name>Strip</name>
    <message>
        <source>Pictures</source>
        <translation>图片</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} 分 {seconds} 秒</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} 小时 {minutes} 分</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>{sizes} or {last}</source>
        <translation>{sizes}或 {last}</translation>
    </message>
    <message>
        <source>Demo model: draws about a thousand everyday things at {size}</source>
        <translation>演示模型：能以 {size} 画约一千种日常事物</translation>
    </message>
</context>
</TS>
