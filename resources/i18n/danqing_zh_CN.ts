<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>No GPU here can be used; the failed rows say why.</source>
        <translation>这里没有可用的显卡；未通过的各项说明了原因。</translation>
    </message>
    <message>
        <source>There is no AMD GPU.</source>
        <translation>没有 AMD 显卡。</translation>
    </message>
    <message>
        <source>No GPU could be seen.</source>
        <translation>没有看到任何显卡。</translation>
    </message>
    <message>
        <source>The only GPU.</source>
        <translation>唯一的显卡。</translation>
    </message>
    <message>
        <source>The only GPU that can be used.</source>
        <translation>唯一可用的显卡。</translation>
    </message>
    <message>
        <source>The card; the others are inside the processor.</source>
        <translation>这是独立显卡；其余的在处理器内部。</translation>
    </message>
    <message>
        <source>The most memory: {size}.</source>
        <translation>显存最多：{size}。</translation>
    </message>
    <message>
        <source>The first of equal ones.</source>
        <translation>几块相同显卡中的第一块。</translation>
    </message>
    <message>
        <source>all steps passed, on this driver, kernel, ROCm and PaddlePaddle</source>
        <translation>所有步骤均通过，且驱动、内核、ROCm 和 PaddlePaddle 未变</translation>
    </message>
    <message>
        <source>not run</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>no sign of life for {seconds} s</source>
        <translation>{seconds} 秒没有动静</translation>
    </message>
    <message>
        <source>ended by the signal {signal}</source>
        <translation>被信号 {signal} 终止</translation>
    </message>
    <message>
        <source>ended with the status {status}</source>
        <translation>以状态 {status} 结束</translation>
    </message>
    <message>
        <source>The self-test has not been run on a GPU.</source>
        <translation>尚未在显卡上运行自检。</translation>
    </message>
    <message>
        <source>Run the self-test: danqing selftest</source>
        <translation>运行自检：danqing selftest</translation>
    </message>
    <message>
        <source>The self-test passed.</source>
        <translation>自检已通过。</translation>
    </message>
    <message>
        <source>The self-test did not pass.</source>
        <translation>自检未通过。</translation>
    </message>
    <message>
        <source>Look at its failed steps, then run it again: danqing selftest</source>
        <translation>查看未通过的步骤，然后重新运行：danqing selftest</translation>
    </message>
    <message>
        <source>Do this on the host, not in the container:</source>
        <translation>请在宿主机上操作，而不是在容器里：</translation>
    </message>
    <message>
        <source>Set hardware.enableRedistributableFirmware = true; and rebuild.</source>
        <translation>设置 hardware.enableRedistributableFirmware = true; 然后重新构建系统。</translation>
    </message>
    <message>
        <source>Install or update linux-firmware with your distribution&apos;s package manager.</source>
        <translation>用发行版的软件包管理器安装或更新 linux-firmware。</translation>
    </message>
    <message>
        <source>Rebuild the initramfs.</source>
        <translation>重新生成 initramfs。</translation>
    </message>
    <message>
        <source>Reboot.</source>
        <translation>重启。</translation>
    </message>
    <message>
        <source>On NixOS: edit boot.kernelParams, then sudo nixos-rebuild boot.</source>
        <translation>在 NixOS 上：编辑 boot.kernelParams，然后运行 sudo nixos-rebuild boot。</translation>
    </message>
    <message>
        <source>sudo grubby --update-kernel=ALL --args=… or --remove-args=… changes the command line.</source>
        <translation>用 sudo grubby --update-kernel=ALL --args=… 或 --remove-args=… 修改内核命令行。</translation>
    </message>
    <message>
        <source>Edit GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then sudo update-grub.</source>
        <translation>编辑 /etc/default/grub 中的 GRUB_CMDLINE_LINUX_DEFAULT，然后运行 sudo update-grub。</translation>
    </message>
    <message>
        <source>Edit GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then sudo grub2-mkconfig -o /boot/grub2/grub.cfg (grub-mkconfig and /boot/grub on some); with systemd-boot edit the options line in /boot/loader/entries.</source>
        <translation>编辑 /etc/default/grub 中的 GRUB_CMDLINE_LINUX_DEFAULT，然后运行 sudo grub2-mkconfig -o /boot/grub2/grub.cfg（有些系统是 grub-mkconfig 和 /boot/grub）；使用 systemd-boot 时编辑 /boot/loader/entries 中的 options 行。</translation>
    </message>
    <message>
        <source>Install the kernel from your distribution&apos;s backports.</source>
        <translation>从发行版的 backports 安装内核。</translation>
    </message>
    <message>
        <source>Set boot.kernelPackages = pkgs.linuxPackages_latest; and rebuild.</source>
        <translation>设置 boot.kernelPackages = pkgs.linuxPackages_latest; 然后重新构建系统。</translation>
    </message>
    <message>
        <source>Install a newer kernel with your distribution&apos;s package manager.</source>
        <translation>用发行版的软件包管理器安装更新的内核。</translation>
    </message>
    <message>
        <source>Or install AMD&apos;s driver package, amdgpu-dkms.</source>
        <translation>或者安装 AMD 的驱动包 amdgpu-dkms。</translation>
    </message>
    <message>
        <source>Attach the card to a pcie-root-port of the virtual machine (q35).</source>
        <translation>把显卡挂到虚拟机（q35）的 pcie-root-port 上。</translation>
    </message>
    <message>
        <source>Put the card into a slot of the processor, without a x1 riser.</source>
        <translation>把显卡插到直连处理器的插槽，不要用 x1 转接线。</translation>
    </message>
    <message>
        <source>ASRock: Advanced &gt; PCI Configuration: Above 4G Decoding and Re-Size BAR Support (Clever Access Memory) on, CSM off.</source>
        <translation>华擎（ASRock）：Advanced &gt; PCI Configuration：打开 Above 4G Decoding 和 Re-Size BAR Support（Clever Access Memory），关闭 CSM。</translation>
    </message>
    <message>
        <source>ASUS: Advanced &gt; PCI Subsystem Settings: Above 4G Decoding and Re-Size BAR Support on; Boot &gt; CSM off.</source>
        <translation>华硕（ASUS）：Advanced &gt; PCI Subsystem Settings：打开 Above 4G Decoding 和 Re-Size BAR Support；Boot &gt; CSM 关闭。</translation>
    </message>
    <message>
        <source>MSI: Settings &gt; Advanced &gt; PCI Subsystem Settings: Above 4G memory/Crypto Currency mining and Re-Size BAR Support on; BIOS CSM/UEFI Mode: UEFI.</source>
        <translation>微星（MSI）：Settings &gt; Advanced &gt; PCI Subsystem Settings：打开 Above 4G memory/Crypto Currency mining 和 Re-Size BAR Support；BIOS CSM/UEFI Mode 设为 UEFI。</translation>
    </message>
    <message>
        <source>Gigabyte: Settings &gt; IO Ports: Above 4G Decoding and Re-Size BAR Support on; Boot &gt; CSM Support off.</source>
        <translation>技嘉（Gigabyte）：Settings &gt; IO Ports：打开 Above 4G Decoding 和 Re-Size BAR Support；Boot &gt; CSM Support 关闭。</translation>
    </message>
    <message>
        <source>Supermicro: Advanced &gt; PCIe/PCI/PnP Configuration: Above 4G Decoding on, MMIO High Size raised.</source>
        <translation>超微（Supermicro）：Advanced &gt; PCIe/PCI/PnP Configuration：打开 Above 4G Decoding，调大 MMIO High Size。</translation>
    </message>
    <message>
        <source>Dell, HP and Lenovo: Integrated Devices or System Options: Memory Mapped I/O above 4GB on, MMIO High Base and Size raised; Resizable BAR on where there is one.</source>
        <translation>戴尔、惠普和联想：在 Integrated Devices 或 System Options 中打开 Memory Mapped I/O above 4GB，调大 MMIO High Base 和 Size；若有 Resizable BAR 也打开。</translation>
    </message>
    <message>
        <source>In the BIOS switch Above 4G Decoding and Resizable BAR (Smart Access Memory) on, and CSM off.</source>
        <translation>在 BIOS 中打开 Above 4G Decoding 和 Resizable BAR（Smart Access Memory），关闭 CSM。</translation>
    </message>
    <message>
        <source>Gigabyte: Settings &gt; Miscellaneous (or AMD CBS &gt; NBIO): IOMMU: Enabled.</source>
        <translation>技嘉（Gigabyte）：Settings &gt; Miscellaneous（或 AMD CBS &gt; NBIO）：IOMMU 设为 Enabled。</translation>
    </message>
    <message>
        <source>ASUS: Advanced &gt; AMD CBS &gt; IOMMU: Enabled (Intel: VT-d).</source>
        <translation>华硕（ASUS）：Advanced &gt; AMD CBS &gt; IOMMU 设为 Enabled（Intel 平台：VT-d）。</translation>
    </message>
    <message>
        <source>In the BIOS set IOMMU (AMD CBS &gt; NBIO; on Intel boards VT-d) to Enabled.</source>
        <translation>在 BIOS 中把 IOMMU（AMD CBS &gt; NBIO；Intel 主板上是 VT-d）设为 Enabled。</translation>
    </message>
    <message>
        <source>This check itself failed: a bug in Danqing.</source>
        <translation>这项检查本身出错了：这是丹青的缺陷。</translation>
    </message>
    <message>
        <source>Does not apply in WSL: the GPU is reached through Windows&apos; driver.</source>
        <translation>不适用于 WSL：显卡要通过 Windows 的驱动访问。</translation>
    </message>
    <message>
        <source>Does not apply: there is no AMD GPU.</source>
        <translation>不适用：没有 AMD 显卡。</translation>
    </message>
    <message>
        <source>Does not apply to a GPU inside the processor.</source>
        <translation>不适用于处理器内部的显卡。</translation>
    </message>
    <message>
        <source>Does not apply in a virtual machine: the host decides it.</source>
        <translation>不适用于虚拟机：由宿主机决定。</translation>
    </message>
    <message>
        <source>It could not be seen.</source>
        <translation>无法看到。</translation>
    </message>
    <message>
        <source>an AMD display device or accelerator (PCI vendor 1002)</source>
        <translation>一块 AMD 显卡或加速卡（PCI 厂商 1002）</translation>
    </message>
    <message>
        <source>AMD GPUs found: {count}.</source>
        <translation>找到 AMD 显卡：{count} 块。</translation>
    </message>
    <message>
        <source>WSL shows no PCI devices; only ROCm itself can tell.</source>
        <translation>WSL 不显示 PCI 设备；只有 ROCm 自己能判断。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>The graphics card is NVIDIA&apos;s; Danqing computes on AMD GPUs and on the CPU.</source>
        <translation>这是 NVIDIA 的显卡；丹青使用 AMD 显卡或处理器计算。</translation>
    </message>
    <message>
        <source>This virtual machine has no AMD GPU: the host passes none through.</source>
        <translation>这台虚拟机没有 AMD 显卡：宿主机没有直通显卡。</translation>
    </message>
    <message>
        <source>There is no AMD GPU here; the display device is {names}.</source>
        <translation>这里没有 AMD 显卡；显示设备是 {names}。</translation>
    </message>
    <message>
        <source>There is no AMD GPU here.</source>
        <translation>这里没有 AMD 显卡。</translation>
    </message>
    <message>
        <source>Use the CPU: it works on every machine.</source>
        <translation>使用处理器：在任何机器上都能用。</translation>
    </message>
    <message>
        <source>Pass an AMD GPU through from the host (PCI passthrough).</source>
        <translation>从宿主机直通一块 AMD 显卡（PCI passthrough）。</translation>
    </message>
    <message>
        <source>Check that the card sits in its slot and has its power cables.</source>
        <translation>检查显卡是否插好、供电线是否接好。</translation>
    </message>
    <message>
        <source>a card that Danqing knows</source>
        <translation>丹青认识的显卡</translation>
    </message>
    <message>
        <source>The card&apos;s device id could not be seen.</source>
        <translation>无法看到显卡的设备编号。</translation>
    </message>
    <message>
        <source>{name}, {gfx}.</source>
        <translation>{name}，{gfx}。</translation>
    </message>
    <message>
        <source>The card {id} is not in Danqing&apos;s table. That alone speaks against nothing.</source>
        <translation>丹青的表中没有显卡 {id}。仅凭这一点不说明任何问题。</translation>
    </message>
    <message>
        <source>Please report the card, with danqing check --bundle FILE.zip.</source>
        <translation>请用 danqing check --bundle FILE.zip 报告这块显卡。</translation>
    </message>
    <message>
        <source>amdgpu</source>
        <translation>amdgpu</translation>
    </message>
    <message>
        <source>The card is reserved for a virtual machine (vfio-pci).</source>
        <translation>显卡被保留给虚拟机（vfio-pci）。</translation>
    </message>
    <message>
        <source>Remove the vfio-pci.ids= parameter or its line in /etc/modprobe.d, rebuild the initramfs, reboot.</source>
        <translation>删除 vfio-pci.ids= 参数或 /etc/modprobe.d 中对应的行，重新生成 initramfs，然后重启。</translation>
    </message>
    <message>
        <source>The driver {name} has the card; ROCm needs amdgpu.</source>
        <translation>显卡由驱动 {name} 占用；ROCm 需要 amdgpu。</translation>
    </message>
    <message>
        <source>Blacklist {name}, and load amdgpu.</source>
        <translation>屏蔽 {name}，加载 amdgpu。</translation>
    </message>
    <message>
        <source>The driver could not start the GPU.</source>
        <translation>驱动无法启动显卡。</translation>
    </message>
    <message>
        <source>amdgpu runs, but its DKMS package {version} is old.</source>
        <translation>amdgpu 在运行，但其 DKMS 包 {version} 太旧。</translation>
    </message>
    <message>
        <source>amdgpu {version} or later</source>
        <translation>amdgpu {version} 或更新</translation>
    </message>
    <message>
        <source>Install the amdgpu-dkms package of the current ROCm release.</source>
        <translation>安装当前 ROCm 版本的 amdgpu-dkms 包。</translation>
    </message>
    <message>
        <source>The driver amdgpu runs the card.</source>
        <translation>显卡由驱动 amdgpu 运行。</translation>
    </message>
    <message>
        <source>The driver found no address space for the card&apos;s memory (error -12).</source>
        <translation>驱动没有为显存找到地址空间（错误 -12）。</translation>
    </message>
    <message>
        <source>If it stays: add pci=realloc to the kernel command line.</source>
        <translation>如果仍然如此：在内核命令行中加入 pci=realloc。</translation>
    </message>
    <message>
        <source>The driver could not start the card: a firmware file is missing.</source>
        <translation>驱动无法启动显卡：缺少固件文件。</translation>
    </message>
    <message>
        <source>The card did not answer in time (error -110).</source>
        <translation>显卡没有及时响应（错误 -110）。</translation>
    </message>
    <message>
        <source>Switch the machine off and on again; check slot, riser and power cables.</source>
        <translation>关机后重新开机；检查插槽、转接线和供电线。</translation>
    </message>
    <message>
        <source>The driver could not start the card.</source>
        <translation>驱动无法启动显卡。</translation>
    </message>
    <message>
        <source>no driver</source>
        <translation>没有驱动</translation>
    </message>
    <message>
        <source>amdgpu does not run: the kernel was started with nomodeset.</source>
        <translation>amdgpu 没有运行：内核以 nomodeset 启动。</translation>
    </message>
    <message>
        <source>Remove nomodeset from the kernel command line.</source>
        <translation>从内核命令行中删除 nomodeset。</translation>
    </message>
    <message>
        <source>amdgpu is not loaded: the kernel command line blacklists it.</source>
        <translation>amdgpu 没有加载：内核命令行把它列入了黑名单。</translation>
    </message>
    <message>
        <source>Remove {word} from the kernel command line.</source>
        <translation>从内核命令行中删除 {word}。</translation>
    </message>
    <message>
        <source>amdgpu is not loaded: a file in /etc/modprobe.d blacklists it.</source>
        <translation>amdgpu 没有加载：/etc/modprobe.d 中的文件把它列入了黑名单。</translation>
    </message>
    <message>
        <source>Remove the line “{line}” from /etc/modprobe.d and rebuild the initramfs.</source>
        <translation>从 /etc/modprobe.d 中删除“{line}”这一行，并重新生成 initramfs。</translation>
    </message>
    <message>
        <source>amdgpu is not loaded; Secure Boot is on and refuses modules that are not signed with an enrolled key.</source>
        <translation>amdgpu 没有加载；Secure Boot 已开启，拒绝没有用已登记密钥签名的模块。</translation>
    </message>
    <message>
        <source>Enrol the key: sudo mokutil --import /var/lib/shim-signed/mok/MOK.der (the key of your DKMS), reboot and choose Enroll MOK; or switch Secure Boot off.</source>
        <translation>登记密钥：sudo mokutil --import /var/lib/shim-signed/mok/MOK.der（你的 DKMS 的密钥），重启并选择 Enroll MOK；或者关闭 Secure Boot。</translation>
    </message>
    <message>
        <source>The driver amdgpu does not run the card.</source>
        <translation>驱动 amdgpu 没有运行这块显卡。</translation>
    </message>
    <message>
        <source>all firmware files, none known to be bad</source>
        <translation>固件文件齐全，且没有已知的坏版本</translation>
    </message>
    <message>
        <source>Firmware files are missing: {files}.</source>
        <translation>缺少固件文件：{files}。</translation>
    </message>
    <message>
        <source>The driver has loaded the card&apos;s firmware.</source>
        <translation>驱动已加载显卡的固件。</translation>
    </message>
    <message>
        <source>The compute firmware (MEC) {found} is older than {least}.</source>
        <translation>计算固件（MEC）{found} 比 {least} 旧。</translation>
    </message>
    <message>
        <source>The scheduler firmware (MES) 0x83 is known to fault on this GPU.</source>
        <translation>已知调度固件（MES）0x83 在这块显卡上会出错。</translation>
    </message>
    <message>
        <source>no fault since boot</source>
        <translation>启动以来没有故障</translation>
    </message>
    <message>
        <source>No fault of the GPU since boot.</source>
        <translation>启动以来显卡没有故障。</translation>
    </message>
    <message>
        <source>{count} lines</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>The connection to the card has had fatal errors since boot.</source>
        <translation>启动以来，显卡的连接发生过致命错误。</translation>
    </message>
    <message>
        <source>not to be seen</source>
        <translation>无法看到</translation>
    </message>
    <message>
        <source>The card&apos;s own firmware.</source>
        <translation>显卡自身的固件。</translation>
    </message>
    <message>
        <source>The card&apos;s form.</source>
        <translation>显卡的形态。</translation>
    </message>
    <message>
        <source>The processor that the card is next to; -1 is none.</source>
        <translation>显卡靠近的处理器；-1 表示没有。</translation>
    </message>
    <message>
        <source>Whether the card sleeps; that is no fault.</source>
        <translation>显卡是否处于休眠；休眠不是故障。</translation>
    </message>
    <message>
        <source>The clocks are limited by hand ({level}).</source>
        <translation>频率被手动限制（{level}）。</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>The card sets its clocks by itself; nothing has to be unlocked.</source>
        <translation>显卡自己调节频率；无需解锁。</translation>
    </message>
    <message>
        <source>Clocks now; an idle card shows its lowest.</source>
        <translation>当前频率；空闲的显卡显示最低档。</translation>
    </message>
    <message>
        <source>Temperatures and power.</source>
        <translation>温度和功耗。</translation>
    </message>
    <message>
        <source>SR-IOV shares a card among virtual machines. On or off, it does not matter to Danqing.</source>
        <translation>SR-IOV 让多台虚拟机共用一块显卡。开或关都不影响丹青。</translation>
    </message>
    <message>
        <source>Power saving of the PCIe connection; “performance” is worth a trial if the connection drops.</source>
        <translation>PCIe 连接的节能策略；如果连接中断，可以试试“performance”。</translation>
    </message>
    <message>
        <source>Moving memory between processors; AMD advises 0 on Instinct servers.</source>
        <translation>在处理器之间搬移内存；AMD 建议在 Instinct 服务器上设为 0。</translation>
    </message>
    <message>
        <source>Shared memory; Danqing needs none of it, other programs do.</source>
        <translation>共享内存；丹青不需要，其他程序需要。</translation>
    </message>
    <message>
        <source>Not in the table.</source>
        <translation>表中没有。</translation>
    </message>
    <message>
        <source>What Danqing&apos;s table says of {name}.</source>
        <translation>丹青的表中关于 {name} 的内容。</translation>
    </message>
    <message>
        <source>The driver comes from amdgpu-dkms, so the kernel&apos;s number does not matter.</source>
        <translation>驱动来自 amdgpu-dkms，因此内核版本号无关紧要。</translation>
    </message>
    <message>
        <source>Which kernel the GPU needs depends on its kind, which could not be seen.</source>
        <translation>需要哪个内核取决于显卡的种类，而种类无法看到。</translation>
    </message>
    <message>
        <source>{version} or later</source>
        <translation>{version} 或更新</translation>
    </message>
    <message>
        <source>The kernel is new enough for {kinds}.</source>
        <translation>内核对 {kinds} 来说足够新。</translation>
    </message>
    <message>
        <source>This kernel carries newer drivers than its number says.</source>
        <translation>这个内核带有比版本号更新的驱动。</translation>
    </message>
    <message>
        <source>This kernel&apos;s own driver is old for {kinds}.</source>
        <translation>这个内核自带的驱动对 {kinds} 来说太旧。</translation>
    </message>
    <message>
        <source>{word}: the driver does not start</source>
        <translation>{word}：驱动不会启动</translation>
    </message>
    <message>
        <source>{word}: the driver is not loaded by itself</source>
        <translation>{word}：驱动不会自动加载</translation>
    </message>
    <message>
        <source>{word}: for hardware that the driver does not know yet</source>
        <translation>{word}：用于驱动尚不认识的硬件</translation>
    </message>
    <message>
        <source>{word}: overdrive; the kernel asks to switch it off before reporting bugs</source>
        <translation>{word}：超频；内核要求在报告问题前关闭它</translation>
    </message>
    <message>
        <source>{word}: another scheduler than the tested one</source>
        <translation>{word}：使用了未经测试的调度器</translation>
    </message>
    <message>
        <source>{word}: a display that is not there</source>
        <translation>{word}：一个并不存在的显示器</translation>
    </message>
    <message>
        <source>{word}: the driver does not enlarge the BAR</source>
        <translation>{word}：驱动不扩大 BAR</translation>
    </message>
    <message>
        <source>{word}: the default (-1) is right</source>
        <translation>{word}：默认值（-1）才是对的</translation>
    </message>
    <message>
        <source>{word}: gone or outdated; ttm.pages_limit replaces it</source>
        <translation>{word}：已取消或过时；由 ttm.pages_limit 取代</translation>
    </message>
    <message>
        <source>{word}: limits the machine&apos;s memory</source>
        <translation>{word}：限制了机器的内存</translation>
    </message>
    <message>
        <source>{word}: no kernel parameter has this name</source>
        <translation>{word}：没有这个名字的内核参数</translation>
    </message>
    <message>
        <source>{word}: switches the IOMMU off</source>
        <translation>{word}：关闭了 IOMMU</translation>
    </message>
    <message>
        <source>nothing that is known to do harm</source>
        <translation>没有已知有害的内容</translation>
    </message>
    <message>
        <source>{word}: the driver does not know it</source>
        <translation>{word}：驱动不认识它</translation>
    </message>
    <message>
        <source>Kernel parameters that can do harm: {words}.</source>
        <translation>可能有害的内核参数：{words}。</translation>
    </message>
    <message>
        <source>Remove them unless you know why they are there.</source>
        <translation>除非你知道它们为什么在那里，否则请删除。</translation>
    </message>
    <message>
        <source>{count} parameters</source>
        <translation>{count} 个参数</translation>
    </message>
    <message>
        <source>Nothing that is known to do harm.</source>
        <translation>没有已知有害的内容。</translation>
    </message>
    <message>
        <source>DRM_AMDGPU and HSA_AMD on</source>
        <translation>DRM_AMDGPU 和 HSA_AMD 已打开</translation>
    </message>
    <message>
        <source>This kernel was built without {names}: the compute driver cannot exist.</source>
        <translation>这个内核编译时没有 {names}：计算驱动不可能存在。</translation>
    </message>
    <message>
        <source>{names} not set</source>
        <translation>{names} 未设置</translation>
    </message>
    <message>
        <source>Use your distribution&apos;s standard kernel, or build one with CONFIG_HSA_AMD=y (it selects HMM_MIRROR).</source>
        <translation>使用发行版的标准内核，或自行编译并设置 CONFIG_HSA_AMD=y（它会选上 HMM_MIRROR）。</translation>
    </message>
    <message>
        <source>{names} is off: no memory shared between processor and GPU. Making pictures does not need it.</source>
        <translation>{names} 已关闭：处理器和显卡之间没有共享内存。画图不需要它。</translation>
    </message>
    <message>
        <source>The compute driver is in this kernel.</source>
        <translation>这个内核中有计算驱动。</translation>
    </message>
    <message>
        <source>KFD present</source>
        <translation>KFD 存在</translation>
    </message>
    <message>
        <source>a GPU node in the KFD&apos;s topology</source>
        <translation>KFD 拓扑中有一个显卡节点</translation>
    </message>
    <message>
        <source>ROCm sees the GPU.</source>
        <translation>ROCm 看到了显卡。</translation>
    </message>
    <message>
        <source>no GPU node</source>
        <translation>没有显卡节点</translation>
    </message>
    <message>
        <source>The compute driver sees the GPU.</source>
        <translation>计算驱动看到了显卡。</translation>
    </message>
    <message>
        <source>The compute driver leaves out {name}.</source>
        <translation>计算驱动略过了 {name}。</translation>
    </message>
    <message>
        <source>/dev/kfd does not exist in this container.</source>
        <translation>这个容器里没有 /dev/kfd。</translation>
    </message>
    <message>
        <source>Start it with --device=/dev/kfd --device=/dev/dri --group-add &lt;the number of the group that owns /dev/kfd on the host&gt;.</source>
        <translation>启动容器时加上 --device=/dev/kfd --device=/dev/dri --group-add &lt;宿主机上拥有 /dev/kfd 的组的编号&gt;。</translation>
    </message>
    <message>
        <source>/dev/kfd does not exist: the compute driver is not there.</source>
        <translation>/dev/kfd 不存在：没有计算驱动。</translation>
    </message>
    <message>
        <source>/dev/kfd opens onto nothing (ENOMEM): the compute driver has no GPU.</source>
        <translation>/dev/kfd 后面什么也没有（ENOMEM）：计算驱动没有显卡。</translation>
    </message>
    <message>
        <source>Start it with --device=/dev/kfd --device=/dev/dri.</source>
        <translation>启动容器时加上 --device=/dev/kfd --device=/dev/dri。</translation>
    </message>
    <message>
        <source>The GPU is not passed to this container: its files answer EPERM.</source>
        <translation>显卡没有传入这个容器：它的文件返回 EPERM。</translation>
    </message>
    <message>
        <source>The compute driver left out the GPU; see pcie.atomics.</source>
        <translation>计算驱动略过了显卡；见 pcie.atomics。</translation>
    </message>
    <message>
        <source>This kernel&apos;s compute driver does not know the GPU.</source>
        <translation>这个内核的计算驱动不认识这块显卡。</translation>
    </message>
    <message>
        <source>This kernel was built without the compute driver.</source>
        <translation>这个内核编译时没有计算驱动。</translation>
    </message>
    <message>
        <source>The driver does not run the only GPU.</source>
        <translation>驱动没有运行唯一的显卡。</translation>
    </message>
    <message>
        <source>The driver amdgpu is not loaded.</source>
        <translation>驱动 amdgpu 没有加载。</translation>
    </message>
    <message>
        <source>The compute driver shows no GPU.</source>
        <translation>计算驱动没有显示任何显卡。</translation>
    </message>
    <message>
        <source>ROCm sees the processor only.</source>
        <translation>ROCm 只看到处理器。</translation>
    </message>
    <message>
        <source>The compute driver said nothing since boot: it is not in this kernel.</source>
        <translation>计算驱动自启动以来没有任何消息：这个内核里没有它。</translation>
    </message>
    <message>
        <source>Use a kernel with CONFIG_HSA_AMD=y that knows this GPU.</source>
        <translation>使用设置了 CONFIG_HSA_AMD=y 且认识这块显卡的内核。</translation>
    </message>
    <message>
        <source>/dev/kfd and the render node open for reading and writing</source>
        <translation>/dev/kfd 和渲染节点可以读写打开</translation>
    </message>
    <message>
        <source>There is no compute device to open; see kfd.present.</source>
        <translation>没有可打开的计算设备；见 kfd.present。</translation>
    </message>
    <message>
        <source>/dev/kfd opens; the render node could not be seen.</source>
        <translation>/dev/kfd 可以打开；无法看到渲染节点。</translation>
    </message>
    <message>
        <source>The devices open, but only by this session&apos;s access list: the user is not in the group {group}.</source>
        <translation>设备可以打开，但只是靠本次会话的访问列表：用户不在 {group} 组中。</translation>
    </message>
    <message>
        <source>The devices open.</source>
        <translation>设备可以打开。</translation>
    </message>
    <message>
        <source>You are in the group {group} from your next login on: log out and in.</source>
        <translation>你从下次登录起属于 {group} 组：请注销后重新登录。</translation>
    </message>
    <message>
        <source>Log out and in.</source>
        <translation>注销后重新登录。</translation>
    </message>
    <message>
        <source>Start the container with --device=/dev/kfd --device=/dev/dri --group-add &lt;the number of the group that owns the device on the host&gt;.</source>
        <translation>启动容器时加上 --device=/dev/kfd --device=/dev/dri --group-add &lt;宿主机上拥有该设备的组的编号&gt;。</translation>
    </message>
    <message>
        <source>{path} may not be opened by this user.</source>
        <translation>这个用户不能打开 {path}。</translation>
    </message>
    <message>
        <source>{path} is locked by the container or a sandbox (EPERM).</source>
        <translation>{path} 被容器或沙箱锁定（EPERM）。</translation>
    </message>
    <message>
        <source>{path} is not the host&apos;s device, or the driver cannot serve this process (EINVAL).</source>
        <translation>{path} 不是宿主机的设备，或者驱动无法为这个进程服务（EINVAL）。</translation>
    </message>
    <message>
        <source>Use the same driver and ROCm versions inside and outside.</source>
        <translation>容器内外使用相同版本的驱动和 ROCm。</translation>
    </message>
    <message>
        <source>{path} is held by another program.</source>
        <translation>{path} 被另一个程序占用。</translation>
    </message>
    <message>
        <source>Close programs that use the GPU, or reboot.</source>
        <translation>关闭使用显卡的程序，或者重启。</translation>
    </message>
    <message>
        <source>{path} cannot be opened ({error}).</source>
        <translation>无法打开 {path}（{error}）。</translation>
    </message>
    <message>
        <source>Linux on x86_64, on bare metal</source>
        <translation>x86_64 上的 Linux，运行在物理机上</translation>
    </message>
    <message>
        <source>{system} is not Linux; ROCm has no driver for it.</source>
        <translation>{system} 不是 Linux；ROCm 没有它的驱动。</translation>
    </message>
    <message>
        <source>Use Linux for the GPU; Danqing computes on the CPU here.</source>
        <translation>使用显卡请用 Linux；丹青在这里用处理器计算。</translation>
    </message>
    <message>
        <source>ROCm has no programs for {machine} processors.</source>
        <translation>ROCm 没有 {machine} 处理器的程序。</translation>
    </message>
    <message>
        <source>Use a machine with an x86-64 processor for the GPU.</source>
        <translation>使用显卡请用 x86-64 处理器的机器。</translation>
    </message>
    <message>
        <source>This is WSL: Windows&apos; driver decides what the GPU can do.</source>
        <translation>这是 WSL：显卡能做什么由 Windows 的驱动决定。</translation>
    </message>
    <message>
        <source>WSL on {machine}</source>
        <translation>{machine} 上的 WSL</translation>
    </message>
    <message>
        <source>This is a virtual machine: the host decides which devices are in it.</source>
        <translation>这是虚拟机：里面有哪些设备由宿主机决定。</translation>
    </message>
    <message>
        <source>virtual machine on {machine}</source>
        <translation>{machine} 上的虚拟机</translation>
    </message>
    <message>
        <source>virtual machine ({name}) on {machine}</source>
        <translation>{machine} 上的虚拟机（{name}）</translation>
    </message>
    <message>
        <source>This is a container: drivers and firmware are the host&apos;s.</source>
        <translation>这是容器：驱动和固件是宿主机的。</translation>
    </message>
    <message>
        <source>container on {machine}</source>
        <translation>{machine} 上的容器</translation>
    </message>
    <message>
        <source>Linux on x86-64, on bare metal.</source>
        <translation>x86-64 上的 Linux，运行在物理机上。</translation>
    </message>
    <message>
        <source>Linux on {machine}</source>
        <translation>{machine} 上的 Linux</translation>
    </message>
    <message>
        <source>Whether this is a container could not be seen.</source>
        <translation>无法看到这是不是容器。</translation>
    </message>
    <message>
        <source>Which platform this is could not be seen entirely.</source>
        <translation>无法完整看到这是什么平台。</translation>
    </message>
    <message>
        <source>booted through UEFI</source>
        <translation>通过 UEFI 启动</translation>
    </message>
    <message>
        <source>The machine was booted through UEFI. Whether CSM is switched on besides cannot be seen from Linux, and does not matter to the GPU&apos;s firmware.</source>
        <translation>机器通过 UEFI 启动。CSM 是否同时打开在 Linux 中看不到，对显卡的固件也没有影响。</translation>
    </message>
    <message>
        <source>The machine was booted in legacy mode (CSM): many boards then offer no Resizable BAR. The GPU works nevertheless.</source>
        <translation>机器以传统模式（CSM）启动：许多主板因此不提供 Resizable BAR。显卡仍然可以工作。</translation>
    </message>
    <message>
        <source>legacy boot</source>
        <translation>传统启动</translation>
    </message>
    <message>
        <source>Switch CSM off in the BIOS; an installation made in legacy mode has to be converted to UEFI first.</source>
        <translation>在 BIOS 中关闭 CSM；以传统模式安装的系统须先转换为 UEFI。</translation>
    </message>
    <message>
        <source>UEFI, Secure Boot on</source>
        <translation>UEFI，Secure Boot 已开启</translation>
    </message>
    <message>
        <source>UEFI, Secure Boot off</source>
        <translation>UEFI，Secure Boot 已关闭</translation>
    </message>
    <message>
        <source>UEFI</source>
        <translation>UEFI</translation>
    </message>
    <message>
        <source>one GPU</source>
        <translation>一块显卡</translation>
    </message>
    <message>
        <source>A GPU inside the processor is beside the card. Programs that use both can crash; Danqing uses the card.</source>
        <translation>独立显卡之外，处理器内部还有一块显卡。同时使用两者的程序可能崩溃；丹青使用独立显卡。</translation>
    </message>
    <message>
        <source>For other programs: set HIP_VISIBLE_DEVICES to the card&apos;s number.</source>
        <translation>对于其他程序：把 HIP_VISIBLE_DEVICES 设为独立显卡的编号。</translation>
    </message>
    <message>
        <source>One AMD GPU.</source>
        <translation>一块 AMD 显卡。</translation>
    </message>
    <message>
        <source>GPUs that reach each other&apos;s memory; Danqing uses one at a time</source>
        <translation>能互相访问显存的显卡；丹青一次使用一块</translation>
    </message>
    <message>
        <source>Several GPUs; whether they reach each other&apos;s memory could not be seen. Danqing uses one at a time.</source>
        <translation>有多块显卡；无法看到它们能否互相访问显存。丹青一次使用一块。</translation>
    </message>
    <message>
        <source>Several GPUs that reach each other&apos;s memory.</source>
        <translation>有多块显卡，能互相访问显存。</translation>
    </message>
    <message>
        <source>Several GPUs that do not reach each other&apos;s memory. Danqing uses one at a time, so it loses nothing.</source>
        <translation>有多块显卡，不能互相访问显存。丹青一次使用一块，因此没有损失。</translation>
    </message>
    <message>
        <source>SPX (undivided)</source>
        <translation>SPX（未分区）</translation>
    </message>
    <message>
        <source>The card is not divided.</source>
        <translation>显卡没有分区。</translation>
    </message>
    <message>
        <source>The card is divided ({mode}): each part has a share of the memory. This is a setting, not a fault.</source>
        <translation>显卡已分区（{mode}）：每一部分占有一份显存。这是设置，不是故障。</translation>
    </message>
    <message>
        <source>To undivide it: sudo amd-smi set --compute-partition SPX</source>
        <translation>取消分区：sudo amd-smi set --compute-partition SPX</translation>
    </message>
    <message>
        <source>Several compute devices share this PCI function: the card is divided.</source>
        <translation>多个计算设备共用这个 PCI 功能：显卡已分区。</translation>
    </message>
    <message>
        <source>{count} nodes</source>
        <translation>{count} 个节点</translation>
    </message>
    <message>
        <source>This kind of card cannot be divided.</source>
        <translation>这种显卡不能分区。</translation>
    </message>
    <message>
        <source>at least {least}; {best} for every model</source>
        <translation>至少 {least}；{best} 可用于所有模型</translation>
    </message>
    <message>
        <source>{total}, {free} free</source>
        <translation>{total}，空闲 {free}</translation>
    </message>
    <message>
        <source>{total}</source>
        <translation>{total}</translation>
    </message>
    <message>
        <source>Too little memory for any model.</source>
        <translation>显存太少，任何模型都用不了。</translation>
    </message>
    <message>
        <source>Use the CPU, or a GPU with more memory.</source>
        <translation>使用处理器，或换一块显存更大的显卡。</translation>
    </message>
    <message>
        <source>ROCm sees {seen} of {total} only.</source>
        <translation>ROCm 只看到 {total} 中的 {seen}。</translation>
    </message>
    <message>
        <source>Run the self-test: it allocates what the models need.</source>
        <translation>运行自检：它会分配模型所需的显存。</translation>
    </message>
    <message>
        <source>Enough memory for: {models}.</source>
        <translation>显存足够用于：{models}。</translation>
    </message>
    <message>
        <source>More memory than the card has ({nominal}): the figure is not to be trusted.</source>
        <translation>比显卡应有的显存（{nominal}）还多：这个数字不可信。</translation>
    </message>
    <message>
        <source>Less memory than the card has ({nominal}).</source>
        <translation>比显卡应有的显存（{nominal}）少。</translation>
    </message>
    <message>
        <source>{available} available</source>
        <translation>可用 {available}</translation>
    </message>
    <message>
        <source>{least} and more</source>
        <translation>{least} 以上</translation>
    </message>
    <message>
        <source>Too little free memory to load any model.</source>
        <translation>空闲内存太少，无法加载任何模型。</translation>
    </message>
    <message>
        <source>Close other programs.</source>
        <translation>关闭其他程序。</translation>
    </message>
    <message>
        <source>Little free memory: loading a model can fail.</source>
        <translation>空闲内存不多：加载模型可能失败。</translation>
    </message>
    <message>
        <source>Enough memory to load models.</source>
        <translation>内存足够加载模型。</translation>
    </message>
    <message>
        <source>the aperture of the card&apos;s memory above 4 GiB</source>
        <translation>显存的窗口位于 4 GiB 以上</translation>
    </message>
    <message>
        <source>The aperture of the card&apos;s memory has no address.</source>
        <translation>显存的窗口没有地址。</translation>
    </message>
    <message>
        <source>not assigned</source>
        <translation>未分配</translation>
    </message>
    <message>
        <source>The aperture of the card&apos;s memory lies below 4 GiB: Above 4G Decoding is off. The memory&apos;s size is not affected.</source>
        <translation>显存的窗口位于 4 GiB 以下：Above 4G Decoding 没有打开。显存大小不受影响。</translation>
    </message>
    <message>
        <source>The aperture of the card&apos;s memory lies above 4 GiB.</source>
        <translation>显存的窗口位于 4 GiB 以上。</translation>
    </message>
    <message>
        <source>all of the card&apos;s memory visible to the processor</source>
        <translation>处理器能看到全部显存</translation>
    </message>
    <message>
        <source>{visible} of {total}</source>
        <translation>{total} 中的 {visible}</translation>
    </message>
    <message>
        <source>The processor sees all of the card&apos;s memory.</source>
        <translation>处理器能看到全部显存。</translation>
    </message>
    <message>
        <source>{visible}</source>
        <translation>{visible}</translation>
    </message>
    <message>
        <source>The processor sees a part of the card&apos;s memory only: Resizable BAR is off. All of it stays usable; loading a model is slower.</source>
        <translation>处理器只能看到一部分显存：Resizable BAR 没有打开。全部显存仍可使用；加载模型会慢一些。</translation>
    </message>
    <message>
        <source>The BIOS left no room for the card&apos;s whole memory: Resizable BAR fell back to a part of it. All of it stays usable; loading a model is slower.</source>
        <translation>BIOS 没有为全部显存留出空间：Resizable BAR 退回到只映射一部分。全部显存仍可使用；加载模型会慢一些。</translation>
    </message>
    <message>
        <source>A BIOS update may have switched it off; look again after each one.</source>
        <translation>BIOS 更新可能会把它关掉；每次更新后请再检查。</translation>
    </message>
    <message>
        <source>PCIe atomics on the way to the processor</source>
        <translation>到处理器的通路支持 PCIe 原子操作</translation>
    </message>
    <message>
        <source>The slot passes on no PCIe atomics, and the card&apos;s firmware is too old to do without: the compute driver left the card out.</source>
        <translation>插槽不支持 PCIe 原子操作，而显卡的固件太旧，离不开它：计算驱动略过了这块显卡。</translation>
    </message>
    <message>
        <source>PCIe atomics reach the processor.</source>
        <translation>PCIe 原子操作可以到达处理器。</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>No PCIe atomics on the way to the processor. The card&apos;s firmware does without.</source>
        <translation>到处理器的通路不支持 PCIe 原子操作。显卡的固件不需要它。</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>If computing hangs: put the card into a slot of the processor.</source>
        <translation>如果计算时卡住：把显卡插到直连处理器的插槽。</translation>
    </message>
    <message>
        <source>{speed} GT/s x{width} at {port}</source>
        <translation>{port} 处 {speed} GT/s x{width}</translation>
    </message>
    <message>
        <source>x{width}</source>
        <translation>x{width}</translation>
    </message>
    <message>
        <source>Put the card into the slot next to the processor, without a riser or dock.</source>
        <translation>把显卡插到处理器旁边的插槽，不要用转接线或扩展坞。</translation>
    </message>
    <message>
        <source>The card is connected by {width} lanes: models load slowly; drawing is not slower.</source>
        <translation>显卡只用 {width} 条通道连接：加载模型会慢；画图不会变慢。</translation>
    </message>
    <message>
        <source>The connection is slow under load: models load slowly.</source>
        <translation>负载下连接速度低：加载模型会慢。</translation>
    </message>
    <message>
        <source>The card has all lanes that slot and card allow.</source>
        <translation>显卡用上了插槽和显卡允许的全部通道。</translation>
    </message>
    <message>
        <source>The card has {width} of {best} possible lanes.</source>
        <translation>显卡只用了 {best} 条可用通道中的 {width} 条。</translation>
    </message>
    <message>
        <source>How many lanes are possible could not be seen.</source>
        <translation>无法看到最多可用多少通道。</translation>
    </message>
    <message>
        <source>of no importance to one GPU</source>
        <translation>对单块显卡无关紧要</translation>
    </message>
    <message>
        <source>ACS sends what the GPUs say to each other through the processor: slower between GPUs, otherwise harmless.</source>
        <translation>ACS 让显卡之间的通信绕道处理器：显卡之间变慢，除此无害。</translation>
    </message>
    <message>
        <source>redirects</source>
        <translation>重定向</translation>
    </message>
    <message>
        <source>no redirection between GPUs</source>
        <translation>显卡之间不重定向</translation>
    </message>
    <message>
        <source>For several GPUs: switch ACS off in the BIOS, or use pci=disable_acs_redir=…; both lessen isolation.</source>
        <translation>对于多块显卡：在 BIOS 中关闭 ACS，或使用 pci=disable_acs_redir=…；两者都会降低隔离程度。</translation>
    </message>
    <message>
        <source>ACS isolates devices from each other; one GPU does not need it and is not harmed by it.</source>
        <translation>ACS 把设备彼此隔离；单块显卡不需要它，也不受其害。</translation>
    </message>
    <message>
        <source>does not redirect</source>
        <translation>不重定向</translation>
    </message>
    <message>
        <source>Only root can read ACS. It isolates devices from each other; one GPU does not need it and is not harmed by it.</source>
        <translation>只有 root 能读取 ACS。它把设备彼此隔离；单块显卡不需要它，也不受其害。</translation>
    </message>
    <message>
        <source>IOMMU group {group} with {count} devices</source>
        <translation>IOMMU 组 {group}，含 {count} 个设备</translation>
    </message>
    <message>
        <source>active; with several GPUs as passthrough (iommu=pt)</source>
        <translation>已启用；有多块显卡时为直通模式（iommu=pt）</translation>
    </message>
    <message>
        <source>The IOMMU is off. One GPU works without it; AMD advises to leave it on.</source>
        <translation>IOMMU 已关闭。单块显卡没有它也能工作；AMD 建议保持打开。</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copies between several GPUs want iommu=pt.</source>
        <translation>多块显卡之间的复制需要 iommu=pt。</translation>
    </message>
    <message>
        <source>active ({kind})</source>
        <translation>已启用（{kind}）</translation>
    </message>
    <message>
        <source>active</source>
        <translation>已启用</translation>
    </message>
    <message>
        <source>The IOMMU is active, which is right for one GPU.</source>
        <translation>IOMMU 已启用，这对单块显卡是正确的。</translation>
    </message>
    <message>
        <source>The IOMMU passes through, which is right for several GPUs.</source>
        <translation>IOMMU 处于直通模式，这对多块显卡是正确的。</translation>
    </message>
    <message>
        <source>Whether the IOMMU translates could not be seen.</source>
        <translation>无法看到 IOMMU 是否做地址转换。</translation>
    </message>
    <message>
        <source>The IOMMU translates: copies between several GPUs are slow and can hang.</source>
        <translation>IOMMU 在做地址转换：多块显卡之间的复制会变慢，也可能卡住。</translation>
    </message>
    <message>
        <source>Add iommu=pt to the kernel command line.</source>
        <translation>在内核命令行中加入 iommu=pt。</translation>
    </message>
    <message>
        <source>Install ROCm: https://rocm.docs.amd.com/projects/install-on-linux</source>
        <translation>安装 ROCm：https://rocm.docs.amd.com/projects/install-on-linux</translation>
    </message>
    <message>
        <source>ROCm {version} or later</source>
        <translation>ROCm {version} 或更新</translation>
    </message>
    <message>
        <source>This ROCm is old for the GPU.</source>
        <translation>这个 ROCm 对这块显卡来说太旧。</translation>
    </message>
    <message>
        <source>ROCm is installed.</source>
        <translation>已安装 ROCm。</translation>
    </message>
    <message>
        <source>No ROCm in the system; PaddlePaddle brings its own libraries.</source>
        <translation>系统中没有 ROCm；PaddlePaddle 自带所需的库。</translation>
    </message>
    <message>
        <source>bundled</source>
        <translation>自带</translation>
    </message>
    <message>
        <source>ROCm is not installed.</source>
        <translation>没有安装 ROCm。</translation>
    </message>
    <message>
        <source>ROCm is installed; its exact version could not be seen.</source>
        <translation>已安装 ROCm；无法看到确切版本。</translation>
    </message>
    <message>
        <source>kernels for the GPU in rocBLAS and PaddlePaddle</source>
        <translation>rocBLAS 和 PaddlePaddle 中有这块显卡的内核程序</translation>
    </message>
    <message>
        <source>ROCm in WSL sees the processor only: this GPU is not enabled in WSL&apos;s driver stack.</source>
        <translation>WSL 中的 ROCm 只看到处理器：WSL 的驱动不支持这块显卡。</translation>
    </message>
    <message>
        <source>no GPU agent</source>
        <translation>没有显卡</translation>
    </message>
    <message>
        <source>Install the current Adrenalin driver in Windows and the matching ROCm for WSL; an integrated GPU may have to be disabled in the BIOS.</source>
        <translation>在 Windows 中安装最新的 Adrenalin 驱动，并安装与之匹配的 WSL 版 ROCm；可能需要在 BIOS 中停用集成显卡。</translation>
    </message>
    <message>
        <source>rocBLAS has kernels for {gfx}; whether PaddlePaddle has could not be seen.</source>
        <translation>rocBLAS 有 {gfx} 的内核程序；无法看到 PaddlePaddle 是否也有。</translation>
    </message>
    <message>
        <source>There are kernels for {gfx}.</source>
        <translation>有 {gfx} 的内核程序。</translation>
    </message>
    <message>
        <source>There are kernels for {other} only, which HSA_OVERRIDE_GFX_VERSION makes this {gfx} run.</source>
        <translation>只有 {other} 的内核程序，HSA_OVERRIDE_GFX_VERSION 让这块 {gfx} 运行它们。</translation>
    </message>
    <message>
        <source>{library}: none for {gfx}</source>
        <translation>{library}：没有 {gfx} 的</translation>
    </message>
    <message>
        <source>The installed libraries have no kernels for this GPU ({gfx}).</source>
        <translation>已安装的库中没有这块显卡（{gfx}）的内核程序。</translation>
    </message>
    <message>
        <source>Install a PaddlePaddle and a ROCm that were built for {gfx}.</source>
        <translation>安装为 {gfx} 编译的 PaddlePaddle 和 ROCm。</translation>
    </message>
    <message>
        <source>If the processor has a GPU too, hide it: HIP_VISIBLE_DEVICES=0.</source>
        <translation>如果处理器也带显卡，请隐藏它：HIP_VISIBLE_DEVICES=0。</translation>
    </message>
    <message>
        <source>no variable that hides or overrides the GPU</source>
        <translation>没有隐藏或改写显卡的变量</translation>
    </message>
    <message>
        <source>{names} hides every GPU from this program.</source>
        <translation>{names} 让这个程序看不到任何显卡。</translation>
    </message>
    <message>
        <source>No variable stands in the way.</source>
        <translation>没有变量造成妨碍。</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>HSA_OVERRIDE_GFX_VERSION is not of the form major.minor.step.</source>
        <translation>HSA_OVERRIDE_GFX_VERSION 不是“主.次.步”的形式。</translation>
    </message>
    <message>
        <source>An override is set; whether it fits the GPU could not be seen.</source>
        <translation>设置了改写；无法看到它是否适合这块显卡。</translation>
    </message>
    <message>
        <source>{gfx} has kernels of its own; the override takes them away.</source>
        <translation>{gfx} 有自己的内核程序；改写使它们失效。</translation>
    </message>
    <message>
        <source>The GPU {gfx} runs code for {other}, of the same family. Often works; nobody tests it.</source>
        <translation>显卡 {gfx} 运行同一系列 {other} 的程序。通常可行，但没有人测试过。</translation>
    </message>
    <message>
        <source>The override makes {gfx} run code for {other}, another family: wrong results and crashes such as 0x29.</source>
        <translation>改写让 {gfx} 运行另一系列 {other} 的程序：会得到错误结果和 0x29 之类的崩溃。</translation>
    </message>
    <message>
        <source>{names} points to a folder that is not there.</source>
        <translation>{names} 指向不存在的文件夹。</translation>
    </message>
    <message>
        <source>LD_LIBRARY_PATH mixes several ROCm installations.</source>
        <translation>LD_LIBRARY_PATH 混用了多个 ROCm 安装。</translation>
    </message>
    <message>
        <source>Keep one of them in LD_LIBRARY_PATH.</source>
        <translation>在 LD_LIBRARY_PATH 中只保留一个。</translation>
    </message>
    <message>
        <source>LD_LIBRARY_PATH holds CUDA folders.</source>
        <translation>LD_LIBRARY_PATH 中有 CUDA 的文件夹。</translation>
    </message>
    <message>
        <source>Take CUDA&apos;s folders out of LD_LIBRARY_PATH.</source>
        <translation>从 LD_LIBRARY_PATH 中去掉 CUDA 的文件夹。</translation>
    </message>
    <message>
        <source>Install a PaddlePaddle that was built for ROCm and for this GPU; the one on PyPI computes on NVIDIA or on the CPU.</source>
        <translation>安装为 ROCm 和这块显卡编译的 PaddlePaddle；PyPI 上的版本使用 NVIDIA 显卡或处理器计算。</translation>
    </message>
    <message>
        <source>PaddlePaddle built for ROCm</source>
        <translation>为 ROCm 编译的 PaddlePaddle</translation>
    </message>
    <message>
        <source>This PaddlePaddle is not one for ROCm.</source>
        <translation>这个 PaddlePaddle 不是 ROCm 版。</translation>
    </message>
    <message>
        <source>Look at the rows of the system check that are not green; they name the fix.</source>
        <translation>看系统检查中没有通过的各项，其中写有解决办法。</translation>
    </message>
    <message>
        <source>Update the kernel, the amdgpu firmware and ROCm, then restart the computer.</source>
        <translation>更新内核、amdgpu 固件和 ROCm，然后重启电脑。</translation>
    </message>
    <message>
        <source>If it happens again, save the report and open an issue with it.</source>
        <translation>如果再次发生，请保存报告并附上它提交问题。</translation>
    </message>
    <message>
        <source>Install a PaddlePaddle that was built with ROCm for this GPU.</source>
        <translation>安装用 ROCm 为这块 GPU 编译的 PaddlePaddle。</translation>
    </message>
    <message>
        <source>Unset HSA_OVERRIDE_GFX_VERSION if it is set.</source>
        <translation>如果设置了 HSA_OVERRIDE_GFX_VERSION，请取消。</translation>
    </message>
    <message>
        <source>Install Danqing again; it brings the starter model and its reference picture.</source>
        <translation>重新安装丹青，其中带有入门模型和它的参考图。</translation>
    </message>
    <message>
        <source>In a working copy: python -m engine.checks.golden --write</source>
        <translation>在源码目录中：python -m engine.checks.golden --write</translation>
    </message>
    <message>
        <source>Check cooling and power supply, and undo any overclocking or undervolting.</source>
        <translation>检查散热和电源，取消超频或降压。</translation>
    </message>
    <message>
        <source>PaddlePaddle sees no GPU with this number.</source>
        <translation>PaddlePaddle 没有看到这个编号的 GPU。</translation>
    </message>
    <message>
        <source>This PaddlePaddle was built for the CPU only; it cannot use a GPU.</source>
        <translation>这个 PaddlePaddle 只为 CPU 编译，不能使用 GPU。</translation>
    </message>
    <message>
        <source>The GPU is there, but this PaddlePaddle has no kernels that run on it.</source>
        <translation>GPU 存在，但这个 PaddlePaddle 没有能在它上面运行的内核程序。</translation>
    </message>
    <message>
        <source>The GPU was asked for, but the results lie in main memory: the CPU computed them.</source>
        <translation>要求使用 GPU，但结果在主内存里：是 CPU 算出来的。</translation>
    </message>
    <message>
        <source>Less memory could be had than there should be.</source>
        <translation>能得到的内存比应有的少。</translation>
    </message>
    <message>
        <source>Close other programs that use the device, and run the self-test again.</source>
        <translation>关闭占用该设备的其他程序，再运行一次自检。</translation>
    </message>
    <message>
        <source>Memory did not hold what was written to it: it is faulty, or not really there.</source>
        <translation>内存没有保住写入的内容：它有故障，或并不真正存在。</translation>
    </message>
    <message>
        <source>If it happens again, the memory is defective: have it replaced.</source>
        <translation>如果再次发生，说明内存已损坏：请更换。</translation>
    </message>
    <message>
        <source>Data changed on its way to the device and back.</source>
        <translation>数据在传到设备再传回的途中发生了改变。</translation>
    </message>
    <message>
        <source>Seat the card again, without a riser; try a lower PCIe generation in the BIOS.</source>
        <translation>重新插好显卡，不用转接线；在 BIOS 中试用较低的 PCIe 代数。</translation>
    </message>
    <message>
        <source>The device computed a wrong result: pictures made with it would be wrong too.</source>
        <translation>设备算出了错误的结果：用它画出的图也会是错的。</translation>
    </message>
    <message>
        <source>A result is not a number: pictures made with it would be black.</source>
        <translation>结果不是数（NaN）：用它画出的图会是全黑的。</translation>
    </message>
    <message>
        <source>PaddlePaddle has no kernel for this operation in this number format on this device.</source>
        <translation>PaddlePaddle 在这个设备上没有此运算在此数值格式下的内核程序。</translation>
    </message>
    <message>
        <source>The same computation gave different results under load: heat, power or memory.</source>
        <translation>同样的计算在负载下得到不同的结果：发热、供电或内存有问题。</translation>
    </message>
    <message>
        <source>The picture is of one colour, as when a number overflows or a kernel does nothing.</source>
        <translation>图片只有一种颜色，数值溢出或内核程序没有运行时就会这样。</translation>
    </message>
    <message>
        <source>The picture is not the one that a sound device makes.</source>
        <translation>图片不是正常设备会画出的那一张。</translation>
    </message>
    <message>
        <source>The reference picture was made with other weights than the starter model has now.</source>
        <translation>参考图所用的权重与入门模型现在的权重不同。</translation>
    </message>
    <message>
        <source>The reference picture is missing or cannot be read.</source>
        <translation>参考图缺失或无法读取。</translation>
    </message>
    <message>
        <source>The starter model is missing or cannot be read.</source>
        <translation>入门模型缺失或无法读取。</translation>
    </message>
    <message>
        <source>The device stopped answering.</source>
        <translation>设备停止响应。</translation>
    </message>
    <message>
        <source>Restart the computer.</source>
        <translation>重启电脑。</translation>
    </message>
    <message>
        <source>PaddlePaddle reported an error.</source>
        <translation>PaddlePaddle 报告了错误。</translation>
    </message>
    <message>
        <source>PaddlePaddle cannot be loaded.</source>
        <translation>无法加载 PaddlePaddle。</translation>
    </message>
    <message>
        <source>Install Danqing again, or PaddlePaddle by itself.</source>
        <translation>重新安装丹青，或单独安装 PaddlePaddle。</translation>
    </message>
    <message>
        <source>There was no sign of life for too long; the test was ended.</source>
        <translation>太久没有动静，测试已被终止。</translation>
    </message>
    <message>
        <source>Restart the computer before the GPU is used again.</source>
        <translation>再次使用 GPU 之前请先重启电脑。</translation>
    </message>
    <message>
        <source>The GPU&apos;s software stopped the program (abort), as it does on any fault of the GPU.</source>
        <translation>GPU 的软件中止了程序（abort），GPU 出任何故障时它都会这样做。</translation>
    </message>
    <message>
        <source>The program crashed inside a library.</source>
        <translation>程序在某个库内部崩溃了。</translation>
    </message>
    <message>
        <source>Look for libraries of another ROCm in LD_LIBRARY_PATH.</source>
        <translation>检查 LD_LIBRARY_PATH 中是否有另一个 ROCm 的库。</translation>
    </message>
    <message>
        <source>PaddlePaddle uses an instruction that this processor does not have.</source>
        <translation>PaddlePaddle 使用了这个处理器没有的指令。</translation>
    </message>
    <message>
        <source>Install a PaddlePaddle that was built for this processor.</source>
        <translation>安装为这个处理器编译的 PaddlePaddle。</translation>
    </message>
    <message>
        <source>The system ended the test: most often because the computer&apos;s memory ran out.</source>
        <translation>系统终止了测试：多半是因为电脑内存耗尽。</translation>
    </message>
    <message>
        <source>Close other programs, and run the self-test again.</source>
        <translation>关闭其他程序，再运行一次自检。</translation>
    </message>
    <message>
        <source>The test&apos;s process ended before its work was done.</source>
        <translation>测试进程没做完就结束了。</translation>
    </message>
    <message>
        <source>The test&apos;s process could not be started.</source>
        <translation>无法启动测试进程。</translation>
    </message>
    <message>
        <source>Not run, because an earlier step failed.</source>
        <translation>没有运行，因为前面的步骤失败了。</translation>
    </message>
    <message>
        <source>Not run, because the self-test was stopped.</source>
        <translation>没有运行，因为自检被停止了。</translation>
    </message>
    <message>
        <source>The test itself failed: a bug in Danqing.</source>
        <translation>测试本身出了错：这是丹青的缺陷。</translation>
    </message>
    <message>
        <source>PaddlePaddle is built for ROCm.</source>
        <translation>PaddlePaddle 是为 ROCm 编译的。</translation>
    </message>
    <message>
        <source>This PaddlePaddle is built for NVIDIA (CUDA).</source>
        <translation>这个 PaddlePaddle 是为 NVIDIA（CUDA）编译的。</translation>
    </message>
    <message>
        <source>This PaddlePaddle computes on the CPU only.</source>
        <translation>这个 PaddlePaddle 只用处理器计算。</translation>
    </message>
    <message>
        <source>Not looked at.</source>
        <translation>未查看。</translation>
    </message>
    <message>
        <source>paddlenlp is installed.</source>
        <translation>已安装 paddlenlp。</translation>
    </message>
    <message>
        <source>paddlenlp is installed, but cannot be used; Danqing does not need it.</source>
        <translation>已安装 paddlenlp，但无法使用；丹青不需要它。</translation>
    </message>
    <message>
        <source>paddlenlp is not installed; Danqing does not need it.</source>
        <translation>没有安装 paddlenlp；丹青不需要它。</translation>
    </message>
    <message>
        <source>Update the kernel and the firmware package (linux-firmware), then reboot.</source>
        <translation>更新内核和固件包（linux-firmware），然后重启。</translation>
    </message>
    <message>
        <source>Reboot; a reset that failed is not cured by restarting a program.</source>
        <translation>重启机器；重置失败不能靠重启程序解决。</translation>
    </message>
    <message>
        <source>Remove HSA_OVERRIDE_GFX_VERSION from the environment, then try again.</source>
        <translation>从环境变量中去掉 HSA_OVERRIDE_GFX_VERSION，然后再试。</translation>
    </message>
    <message>
        <source>Add iommu=pt to the kernel command line, and update the BIOS.</source>
        <translation>在内核命令行中加入 iommu=pt，并更新 BIOS。</translation>
    </message>
    <message>
        <source>A ROCm tool is not on PATH, or this ROCm came without tools; harmless.</source>
        <translation>ROCm 的某个工具不在 PATH 中，或这个 ROCm 不带工具；无害。</translation>
    </message>
    <message>
        <source>Add /opt/rocm/bin to PATH.</source>
        <translation>把 /opt/rocm/bin 加入 PATH。</translation>
    </message>
    <message>
        <source>Neither ROCm nor the driver prints this text; it is no evidence of a switched-off IOMMU. See the rows of the GPU and of the KFD.</source>
        <translation>ROCm 和驱动都不会打印这段文字；它不能证明 IOMMU 已关闭。请看显卡和 KFD 的各项。</translation>
    </message>
    <message>
        <source>/dev/kfd cannot be opened, or the KFD has no GPU.</source>
        <translation>无法打开 /dev/kfd，或 KFD 没有显卡。</translation>
    </message>
    <message>
        <source>See the rows kfd.present and dev.perm.</source>
        <translation>见 kfd.present 和 dev.perm 两项。</translation>
    </message>
    <message>
        <source>The GPU&apos;s memory was full.</source>
        <translation>显存已满。</translation>
    </message>
    <message>
        <source>Make smaller pictures, or close other programs that use the GPU.</source>
        <translation>画小一些的图，或关闭使用显卡的其他程序。</translation>
    </message>
    <message>
        <source>A wrong argument or a handle that is gone; a full memory has another error.</source>
        <translation>参数错误或句柄已失效；显存不足是另一种错误。</translation>
    </message>
    <message>
        <source>Report it together with the log.</source>
        <translation>请连同日志一起报告。</translation>
    </message>
    <message>
        <source>ROCm shows the program no GPU: a variable hides it, or the device cannot be opened.</source>
        <translation>ROCm 没有给这个程序显示任何显卡：有变量把它隐藏了，或设备无法打开。</translation>
    </message>
    <message>
        <source>See the rows env.vars and dev.perm.</source>
        <translation>见 env.vars 和 dev.perm 两项。</translation>
    </message>
    <message>
        <source>Parts of ROCm of different versions are mixed.</source>
        <translation>混用了不同版本的 ROCm 组件。</translation>
    </message>
    <message>
        <source>Install the driver and ROCm in versions that belong together.</source>
        <translation>安装版本互相匹配的驱动和 ROCm。</translation>
    </message>
    <message>
        <source>A kernel used an illegal address: code for another GPU, a bug, or bad firmware. It is not a full memory.</source>
        <translation>内核程序使用了非法地址：为别的显卡编译的程序、缺陷或有问题的固件。这不是显存不足。</translation>
    </message>
    <message>
        <source>The program&apos;s code is for another kind of GPU.</source>
        <translation>程序的代码是为另一种显卡编译的。</translation>
    </message>
    <message>
        <source>A kernel read or wrote outside its memory: a bug, bad firmware (MES 0x83), or a suspend since the program started.</source>
        <translation>内核程序读写了自己内存以外的地方：缺陷、有问题的固件（MES 0x83），或程序启动后机器休眠过。</translation>
    </message>
    <message>
        <source>Restart the program.</source>
        <translation>重新启动程序。</translation>
    </message>
    <message>
        <source>The GPU stopped answering.</source>
        <translation>显卡停止响应。</translation>
    </message>
    <message>
        <source>On an integrated GPU try HSA_ENABLE_SDMA=0 in the environment.</source>
        <translation>在集成显卡上可以试试环境变量 HSA_ENABLE_SDMA=0。</translation>
    </message>
    <message>
        <source>rocBLAS has no kernels for this kind of GPU.</source>
        <translation>rocBLAS 没有这种显卡的内核程序。</translation>
    </message>
    <message>
        <source>Install a ROCm, and a PaddlePaddle build, that include this GPU&apos;s gfx target.</source>
        <translation>安装包含这块显卡 gfx 目标的 ROCm 和 PaddlePaddle。</translation>
    </message>
    <message>
        <source>The program was built without kernels for this GPU, or it chose the integrated one.</source>
        <translation>程序编译时没有这块显卡的内核程序，或者它选了集成显卡。</translation>
    </message>
    <message>
        <source>Use a build that includes this GPU&apos;s gfx target; hide the integrated GPU with HIP_VISIBLE_DEVICES.</source>
        <translation>使用包含这块显卡 gfx 目标的版本；用 HIP_VISIBLE_DEVICES 隐藏集成显卡。</translation>
    </message>
    <message>
        <source>This PaddlePaddle was built for NVIDIA or for the CPU, not for ROCm.</source>
        <translation>这个 PaddlePaddle 是为 NVIDIA 或处理器编译的，不是 ROCm 版。</translation>
    </message>
    <message>
        <source>Install a PaddlePaddle that was built for ROCm.</source>
        <translation>安装为 ROCm 编译的 PaddlePaddle。</translation>
    </message>
    <message>
        <source>This PaddlePaddle is broken, or a program for a much older one uses it.</source>
        <translation>这个 PaddlePaddle 已损坏，或使用它的程序是为老得多的版本写的。</translation>
    </message>
    <message>
        <source>Install PaddlePaddle again.</source>
        <translation>重新安装 PaddlePaddle。</translation>
    </message>
    <message>
        <source>An error of building PaddlePaddle from source, not of this machine.</source>
        <translation>这是从源码编译 PaddlePaddle 时的错误，与这台机器无关。</translation>
    </message>
    <message>
        <source>ROCm runs inside WSL, where the GPU is reached through Windows&apos; driver.</source>
        <translation>ROCm 在 WSL 中运行，显卡要通过 Windows 的驱动访问。</translation>
    </message>
    <message>
        <source>A code of the Windows driver&apos;s installer (path not found); nothing of Linux.</source>
        <translation>这是 Windows 驱动安装程序的代码（找不到路径）；与 Linux 无关。</translation>
    </message>
    <message>
        <source>This user may not open /dev/kfd.</source>
        <translation>这个用户不能打开 /dev/kfd。</translation>
    </message>
    <message>
        <source>Add the user to the group that owns /dev/kfd, then log out and in.</source>
        <translation>把用户加入拥有 /dev/kfd 的组，然后注销并重新登录。</translation>
    </message>
    <message>
        <source>The compute driver (KFD) is not there or has no GPU.</source>
        <translation>没有计算驱动（KFD），或它没有显卡。</translation>
    </message>
    <message>
        <source>See the rows gpu.driver and kfd.present.</source>
        <translation>见 gpu.driver 和 kfd.present 两项。</translation>
    </message>
    <message>
        <source>Copies between several GPUs are slow or hang while the IOMMU translates them.</source>
        <translation>IOMMU 做地址转换时，多块显卡之间的复制会变慢或卡住。</translation>
    </message>
    <message>
        <source>The GPU met an address that is not mapped; after a reset such lines are secondary.</source>
        <translation>显卡访问了没有映射的地址；重置之后的此类消息是次要的。</translation>
    </message>
    <message>
        <source>A job on the GPU hung; the next line names the program.</source>
        <translation>显卡上的一个任务卡住了；下一行写明是哪个程序。</translation>
    </message>
    <message>
        <source>The driver could not reset the GPU.</source>
        <translation>驱动无法重置显卡。</translation>
    </message>
    <message>
        <source>The GPU answered again after a reset.</source>
        <translation>重置之后显卡恢复了响应。</translation>
    </message>
    <message>
        <source>The driver reset the GPU; what was in its memory is gone.</source>
        <translation>驱动重置了显卡；显存中的内容已丢失。</translation>
    </message>
    <message>
        <source>Restart the programs that use the GPU, and run the self-test.</source>
        <translation>重新启动使用显卡的程序，并运行自检。</translation>
    </message>
    <message>
        <source>The GPU&apos;s scheduler firmware hangs (RDNA 3 and 4).</source>
        <translation>显卡的调度固件卡住（RDNA 3 和 4）。</translation>
    </message>
    <message>
        <source>The slot passes on no PCIe atomics, and the GPU&apos;s firmware is too old to do without.</source>
        <translation>插槽不支持 PCIe 原子操作，而显卡的固件太旧，离不开它。</translation>
    </message>
    <message>
        <source>Put the card into a slot of the processor, without a riser; in a virtual machine attach it to a pcie-root-port.</source>
        <translation>把显卡插到直连处理器的插槽，不要用转接线；在虚拟机中把它挂到 pcie-root-port 上。</translation>
    </message>
    <message>
        <source>This kernel&apos;s KFD does not know the GPU.</source>
        <translation>这个内核的 KFD 不认识这块显卡。</translation>
    </message>
    <message>
        <source>Use a newer kernel or AMD&apos;s amdgpu-dkms.</source>
        <translation>使用更新的内核或 AMD 的 amdgpu-dkms。</translation>
    </message>
    <message>
        <source>Harmless: the driver does without it.</source>
        <translation>无害：驱动不需要它。</translation>
    </message>
    <message>
        <source>A firmware file of the GPU is not on the disk or not in the initramfs.</source>
        <translation>显卡的某个固件文件不在磁盘上，或不在 initramfs 中。</translation>
    </message>
    <message>
        <source>Install or update the firmware package, rebuild the initramfs, reboot.</source>
        <translation>安装或更新固件包，重新生成 initramfs，然后重启。</translation>
    </message>
    <message>
        <source>The driver could not start the GPU: -12 means no address space for its memory, -22 firmware or power management, -110 no answer.</source>
        <translation>驱动无法启动显卡：-12 表示没有显存的地址空间，-22 表示固件或电源管理，-110 表示没有响应。</translation>
    </message>
    <message>
        <source>For -12 enable Above 4G Decoding in the BIOS; otherwise update kernel and firmware.</source>
        <translation>遇到 -12 请在 BIOS 中打开 Above 4G Decoding；否则更新内核和固件。</translation>
    </message>
    <message>
        <source>The BIOS gave the GPU no room for a large BAR; the memory&apos;s size is not affected.</source>
        <translation>BIOS 没有给显卡留出大 BAR 的空间；显存大小不受影响。</translation>
    </message>
    <message>
        <source>Enable Above 4G Decoding and Resizable BAR in the BIOS.</source>
        <translation>在 BIOS 中打开 Above 4G Decoding 和 Resizable BAR。</translation>
    </message>
    <message>
        <source>This kernel was built without HMM_MIRROR, which the compute driver needs.</source>
        <translation>这个内核编译时没有 HMM_MIRROR，而计算驱动需要它。</translation>
    </message>
    <message>
        <source>Use a kernel with CONFIG_HSA_AMD=y, which selects it.</source>
        <translation>使用设置了 CONFIG_HSA_AMD=y 的内核，它会选上 HMM_MIRROR。</translation>
    </message>
    <message>
        <source>The IOMMU blocked an access to memory; often the BIOS or an integrated GPU.</source>
        <translation>IOMMU 拦截了一次内存访问；原因常常是 BIOS 或集成显卡。</translation>
    </message>
    <message>
        <source>Secure Boot refuses the driver, which is not signed with an enrolled key.</source>
        <translation>Secure Boot 拒绝了驱动，因为它没有用已登记的密钥签名。</translation>
    </message>
    <message>
        <source>Enrol the key: sudo mokutil --import /var/lib/shim-signed/mok/MOK.der, reboot, and choose Enroll MOK; or switch Secure Boot off.</source>
        <translation>登记密钥：sudo mokutil --import /var/lib/shim-signed/mok/MOK.der，重启并选择 Enroll MOK；或者关闭 Secure Boot。</translation>
    </message>
    <message>
        <source>A parameter of the driver is misspelt or gone.</source>
        <translation>驱动的某个参数拼写错误或已取消。</translation>
    </message>
    <message>
        <source>Remove it from the kernel command line or from /etc/modprobe.d.</source>
        <translation>从内核命令行或 /etc/modprobe.d 中删除它。</translation>
    </message>
    <message>
        <source>The connection to the card broke: signal, power or a riser.</source>
        <translation>与显卡的连接中断：信号、供电或转接线。</translation>
    </message>
    <message>
        <source>Reseat the card and its power cables; set the slot to PCIe Gen 4 or 3 in the BIOS.</source>
        <translation>重新插好显卡和供电线；在 BIOS 中把插槽设为 PCIe Gen 4 或 3。</translation>
    </message>
    <message>
        <source>The card&apos;s memory is defective.</source>
        <translation>显存有缺陷。</translation>
    </message>
    <message>
        <source>Stop using the card for work, and ask for its replacement.</source>
        <translation>不要再用这块显卡工作，请联系更换。</translation>
    </message>
    <message>
        <source>The card runs slower because of heat or its power limit.</source>
        <translation>显卡因温度或功耗上限而降速。</translation>
    </message>
    <message>
        <source>Improve the cooling; look at the fans.</source>
        <translation>改善散热；检查风扇。</translation>
    </message>
    <message>
        <source>{size} allocated and filled</source>
        <translation>已分配并填满 {size}</translation>
    </message>
    <message>
        <source>{size} allocated</source>
        <translation>分配了 {size}</translation>
    </message>
    <message>
        <source>the memory does not hold what it was filled with</source>
        <translation>内存没有保住填入的内容</translation>
    </message>
    <message>
        <source>every bit of {size} the same</source>
        <translation>{size} 的每一位都相同</translation>
    </message>
    <message>
        <source>{count} of {all} words differ</source>
        <translation>{all} 个字中有 {count} 个不同</translation>
    </message>
    <message>
        <source>{size} there and back, the same</source>
        <translation>{size} 来回一趟，内容相同</translation>
    </message>
    <message>
        <source>{size} hold what was written</source>
        <translation>{size} 保住写入的内容</translation>
    </message>
    <message>
        <source>only {size} could be allocated</source>
        <translation>只能分配到 {size}</translation>
    </message>
    <message>
        <source>{count} words of {size} changed</source>
        <translation>{size} 中有 {count} 个字改变了</translation>
    </message>
    <message>
        <source>{size} hold what was written, every bit as 0 and as 1</source>
        <translation>{size} 保住了写入的内容，每一位都试过 0 和 1</translation>
    </message>
    <message>
        <source>to the device {up}, from it {down}, on it {on} GB/s</source>
        <translation>传到设备 {up}，从设备传回 {down}，设备内 {on} GB/s</translation>
    </message>
    <message>
        <source>the table of devices has no figure for it</source>
        <translation>设备表中没有它的数值</translation>
    </message>
    <message>
        <source>the table of devices says {rate} GB/s on it</source>
        <translation>设备表中设备内为 {rate} GB/s</translation>
    </message>
    <message>
        <source>{library}, {build} build; {gpus}</source>
        <translation>{library}，{build} 版；{gpus}</translation>
    </message>
    <message>
        <source>{library}, {build} build; no GPU</source>
        <translation>{library}，{build} 版；没有 GPU</translation>
    </message>
    <message>
        <source>PaddlePaddle</source>
        <translation>PaddlePaddle</translation>
    </message>
    <message>
        <source>GPU {index}</source>
        <translation>GPU {index}</translation>
    </message>
    <message>
        <source>CPU, {cores} cores; device {said}, new tensors on {tensor}, results on {result}</source>
        <translation>CPU，{cores} 核；设备 {said}，新张量在 {tensor}，结果在 {result}</translation>
    </message>
    <message>
        <source>{description}; device {said}, new tensors on {tensor}, results on {result}</source>
        <translation>{description}；设备 {said}，新张量在 {tensor}，结果在 {result}</translation>
    </message>
    <message>
        <source>everything on {wanted}</source>
        <translation>全部在 {wanted}</translation>
    </message>
    <message>
        <source>ended with an error</source>
        <translation>以错误结束</translation>
    </message>
    <message>
        <source>largest error at most {limit}</source>
        <translation>最大误差不超过 {limit}</translation>
    </message>
    <message>
        <source>{count} of {all} results are not numbers</source>
        <translation>{all} 个结果中有 {count} 个不是数</translation>
    </message>
    <message>
        <source>largest error {error}</source>
        <translation>最大误差 {error}</translation>
    </message>
    <message>
        <source>no kernel</source>
        <translation>没有内核程序</translation>
    </message>
    <message>
        <source>a kernel</source>
        <translation>有内核程序</translation>
    </message>
    <message>
        <source>PaddlePaddle has no {dtype} kernel for this GPU; it uses float32</source>
        <translation>PaddlePaddle 没有这块 GPU 的 {dtype} 内核程序，改用 float32</translation>
    </message>
    <message>
        <source>PaddlePaddle has no {dtype} kernel for the CPU; it uses float32</source>
        <translation>PaddlePaddle 没有 CPU 的 {dtype} 内核程序，使用 float32</translation>
    </message>
    <message>
        <source>could not be judged</source>
        <translation>无法判断</translation>
    </message>
    <message>
        <source>a matrix product changed under load</source>
        <translation>矩阵乘积在负载下改变了</translation>
    </message>
    <message>
        <source>picture {number} changed: {psnr} dB</source>
        <translation>第 {number} 张图改变了：{psnr} dB</translation>
    </message>
    <message>
        <source>every result as the first one</source>
        <translation>每次结果都与第一次相同</translation>
    </message>
    <message>
        <source>{rate} pictures/s, {efficiency} pictures/s per watt, {tflops} TFLOP/s; {sensors}</source>
        <translation>每秒 {rate} 张图，每瓦每秒 {efficiency} 张图，{tflops} TFLOP/s；{sensors}</translation>
    </message>
    <message>
        <source>{rate} pictures/s, {tflops} TFLOP/s; {sensors}</source>
        <translation>每秒 {rate} 张图，{tflops} TFLOP/s；{sensors}</translation>
    </message>
    <message>
        <source>{rate} pictures/s, {tflops} TFLOP/s; no sensors to be read</source>
        <translation>每秒 {rate} 张图，{tflops} TFLOP/s；没有可读的传感器</translation>
    </message>
    <message>
        <source>at least {psnr} dB, channel means at most {mean} of 255 off</source>
        <translation>至少 {psnr} dB，各通道均值相差不超过 {mean}（满值 255）</translation>
    </message>
    <message>
        <source>the reference and the weights do not belong together</source>
        <translation>参考图与权重不配套</translation>
    </message>
    <message>
        <source>{psnr} dB, channel means at most {mean} of 255 off</source>
        <translation>{psnr} dB，各通道均值最多相差 {mean}（满值 255）</translation>
    </message>
    <message>
        <source>“--{name}” is read as part of the prompt: a line with options begins with one, such as --prompt.</source>
        <translation>“--{name}”被当作提示词的一部分：带选项的行必须以选项开头，例如 --prompt。</translation>
    </message>
    <message>
        <source>A quote is opened in column {column} and not closed at the end of a word.</source>
        <translation>第 {column} 列的引号没有在词尾闭合。</translation>
    </message>
    <message>
        <source>--{name}: a value is missing.</source>
        <translation>--{name}：缺少值。</translation>
    </message>
    <message>
        <source>Danqing does not have “{name}”: it is left aside.</source>
        <translation>丹青没有“{name}”这一项，已忽略。</translation>
    </message>
    <message>
        <source>“{name}” is given twice; the last one counts.</source>
        <translation>“{name}”出现了两次，以最后一次为准。</translation>
    </message>
    <message>
        <source>There is no option --{name}; text that holds “--” needs quotes around it.</source>
        <translation>没有 --{name} 这个选项；含有“--”的文字需要加引号。</translation>
    </message>
    <message>
        <source>There is no option --{name}; is --{near} meant?</source>
        <translation>没有 --{name} 这个选项；是不是 --{near}？</translation>
    </message>
    <message>
        <source>This row cannot be read ({reason}); nothing below it was read.</source>
        <translation>此行无法读取（{reason}）；下面的内容都没有读取。</translation>
    </message>
    <message>
        <source>The column “{name}” is left aside.</source>
        <translation>“{name}”这一列已忽略。</translation>
    </message>
    <message>
        <source>The first row names the columns, and one of them has to be “prompt”.</source>
        <translation>第一行是列名，其中必须有“prompt”（提示词）。</translation>
    </message>
    <message>
        <source>Two columns are named “{name}”.</source>
        <translation>有两列都叫“{name}”。</translation>
    </message>
    <message>
        <source>This row has {found} cells, and there are {columns} columns.</source>
        <translation>此行有 {found} 个单元格，而表格只有 {columns} 列。</translation>
    </message>
    <message>
        <source>This JSON is nested too deeply.</source>
        <translation>这段 JSON 嵌套过深。</translation>
    </message>
    <message>
        <source>This is no JSON object: column {column}, {reason}.</source>
        <translation>这不是 JSON 对象：第 {column} 列，{reason}。</translation>
    </message>
    <message>
        <source>A number here is too long.</source>
        <translation>这里有一个数字过长。</translation>
    </message>
    <message>
        <source>This is no JSON object: a line looks like {{&quot;prompt&quot;: &quot;…&quot;}}.</source>
        <translation>这不是 JSON 对象：每行应形如 {{&quot;prompt&quot;: &quot;…&quot;}}。</translation>
    </message>
    <message>
        <source>“{name}” has to be text.</source>
        <translation>“{name}”必须是文字。</translation>
    </message>
    <message>
        <source>“{name}” has to be text or a number.</source>
        <translation>“{name}”必须是文字或数字。</translation>
    </message>
    <message>
        <source>{name} is no number.</source>
        <translation>{name} 不是数字。</translation>
    </message>
    <message>
        <source>This is too long: {length} characters, and {most} are allowed.</source>
        <translation>内容过长：共 {length} 个字符，最多允许 {most} 个。</translation>
    </message>
    <message>
        <source>Control characters in “{name}” were replaced by spaces.</source>
        <translation>“{name}”中的控制字符已替换为空格。</translation>
    </message>
    <message>
        <source>{file} is no file.</source>
        <translation>{file} 不是文件。</translation>
    </message>
    <message>
        <source>{file} cannot be read: {reason}.</source>
        <translation>无法读取 {file}：{reason}。</translation>
    </message>
    <message>
        <source>This file is not UTF-8. It may be: {offers}.</source>
        <translation>此文件不是 UTF-8 编码，可能是：{offers}。</translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>列表是空的。</translation>
    </message>
    <message>
        <source>There is no prompt.</source>
        <translation>没有提示词。</translation>
    </message>
    <message>
        <source>A matrix of {count} parts is too large.</source>
        <translation>由 {count} 个部分组成的矩阵太大。</translation>
    </message>
    <message>
        <source>The prompts of the list are too long together; it ends here.</source>
        <translation>列表中的提示词总长度过大，读到此处为止。</translation>
    </message>
    <message>
        <source>Danqing does not have the schedule “{name}”: the usual one is used.</source>
        <translation>丹青没有调度“{name}”，改用默认的调度。</translation>
    </message>
    <message>
        <source>The model cannot draw the size “{value}”; allowed: {allowed}.</source>
        <translation>模型画不了“{value}”这个尺寸；可用的有：{allowed}。</translation>
    </message>
    <message>
        <source>With this the list has more than {most} pictures; it was read no further.</source>
        <translation>加上这一行，列表就超过 {most} 张图片了；后面的没有读取。</translation>
    </message>
    <message>
        <source>The prompt expands to nothing.</source>
        <translation>提示词展开后是空的。</translation>
    </message>
    <message>
        <source>Steps: “{value}” is not allowed; whole numbers from 1 to {most} are.</source>
        <translation>步数：不能是“{value}”，只能是 1 到 {most} 的整数。</translation>
    </message>
    <message>
        <source>Guidance: “{value}” is not allowed; numbers from 0 to {most} are.</source>
        <translation>引导强度：不能是“{value}”，只能是 0 到 {most} 的数。</translation>
    </message>
    <message>
        <source>Seed: “{value}” is not allowed; whole numbers from 0 to {most} are, and -1 for a random one.</source>
        <translation>种子：不能是“{value}”，只能是 0 到 {most} 的整数，或用 -1 表示随机。</translation>
    </message>
    <message>
        <source>There is no sampler “{value}”; there are {allowed}.</source>
        <translation>没有采样器“{value}”；可用的有 {allowed}。</translation>
    </message>
    <message>
        <source>There is no schedule “{value}”; there are {allowed}.</source>
        <translation>没有调度“{value}”；可用的有 {allowed}。</translation>
    </message>
    <message>
        <source>Count: “{value}” is not allowed; whole numbers from 1 to {most} are.</source>
        <translation>数量：不能是“{value}”，只能是 1 到 {most} 的整数。</translation>
    </message>
    <message>
        <source>“{value}” is not allowed; true or false are.</source>
        <translation>不能是“{value}”，只能是 true 或 false。</translation>
    </message>
    <message>
        <source>The list is larger than {size} MB; it was read no further than line {line}.</source>
        <translation>列表超过 {size} MB，只读到第 {line} 行。</translation>
    </message>
    <message>
        <source>This is not text in the encoding {encoding}.</source>
        <translation>这不是 {encoding} 编码的文本。</translation>
    </message>
    <message>
        <source>This file is no text.</source>
        <translation>此文件不是文本。</translation>
    </message>
    <message>
        <source>This file is no text: line {line} holds a zero byte.</source>
        <translation>此文件不是文本：第 {line} 行含有零字节。</translation>
    </message>
    <message>
        <source>Expanding this list takes too long; it ends here.</source>
        <translation>展开此列表耗时过长，到此为止。</translation>
    </message>
    <message>
        <source>Wildcards and variables lead into each other too deeply.</source>
        <translation>通配符和变量相互引用过深。</translation>
    </message>
    <message>
        <source>This expands to more than {most} characters.</source>
        <translation>展开后超过 {most} 个字符。</translation>
    </message>
    <message>
        <source>There is no value for “{name}”.</source>
        <translation>“{name}”没有值。</translation>
    </message>
    <message>
        <source>The wildcard leads back to itself: {chain}.</source>
        <translation>通配符引用了自身：{chain}。</translation>
    </message>
    <message>
        <source>Groups are nested more than {most} deep.</source>
        <translation>分组嵌套超过 {most} 层。</translation>
    </message>
    <message>
        <source>“%{{” in column {column} needs “$$” and “}}” behind it.</source>
        <translation>第 {column} 列的“%{{”后面需要“$$”和“}}”。</translation>
    </message>
    <message>
        <source>“{{” in column {column} is never closed.</source>
        <translation>第 {column} 列的“{{”没有闭合。</translation>
    </message>
    <message>
        <source>All weights of the group in column {column} are 0.</source>
        <translation>第 {column} 列的分组中，所有权重都是 0。</translation>
    </message>
    <message>
        <source>The “{{” of the group in column {column} is never closed.</source>
        <translation>第 {column} 列的分组中，“{{”没有闭合。</translation>
    </message>
    <message>
        <source>“{part}” in column {column} has to look like name=value.</source>
        <translation>第 {column} 列的“{part}”应写成“名称=值”。</translation>
    </message>
    <message>
        <source>The wildcard __{name}__ is empty.</source>
        <translation>通配符 __{name}__ 是空的。</translation>
    </message>
    <message>
        <source>All weights of the wildcard __{name}__ are 0.</source>
        <translation>通配符 __{name}__ 的所有权重都是 0。</translation>
    </message>
    <message>
        <source>The wildcard __{name}__ has too many lines.</source>
        <translation>通配符 __{name}__ 的行数过多。</translation>
    </message>
    <message>
        <source>There is no wildcard __{name}__ in {folder}. (For these signs themselves: \__)</source>
        <translation>{folder} 中没有通配符 __{name}__。（若要写下划线本身，请用 \__）</translation>
    </message>
    <message>
        <source>The wildcard __{name}__ has too many stars.</source>
        <translation>通配符 __{name}__ 中的星号过多。</translation>
    </message>
    <message>
        <source>The wildcard __{name}__ cannot be read: {reason}.</source>
        <translation>无法读取通配符 __{name}__：{reason}。</translation>
    </message>
    <message>
        <source>The wildcard __{name}__ is larger than {size} MB.</source>
        <translation>通配符 __{name}__ 超过 {size} MB。</translation>
    </message>
    <message>
        <source>The wildcard __{name}__ is not UTF-8 text (line {line}): save it as UTF-8.</source>
        <translation>通配符 __{name}__ 不是 UTF-8 文本（第 {line} 行）：请另存为 UTF-8。</translation>
    </message>
    <message>
        <source>{place}: {reason}</source>
        <translation>{place}：{reason}</translation>
    </message>
    <message>
        <source>{key} is there twice; the first one was taken.</source>
        <translation>{key} 出现了两次，采用了第一个。</translation>
    </message>
    <message>
        <source>{key} is not a number.</source>
        <translation>{key} 不是数字。</translation>
    </message>
    <message>
        <source>ComfyUI graph of {count} nodes without a sampler.</source>
        <translation>ComfyUI 节点图有 {count} 个节点，但没有采样器。</translation>
    </message>
    <message>
        <source>The file ends early.</source>
        <translation>文件不完整。</translation>
    </message>
    <message>
        <source>No prompt was found.</source>
        <translation>没有找到提示词。</translation>
    </message>
    <message>
        <source>Not a PNG, JPEG or WebP picture.</source>
        <translation>不是 PNG、JPEG 或 WebP 图片。</translation>
    </message>
    <message>
        <source>No generation data: the file holds no text.</source>
        <translation>没有生成信息：文件中没有任何文本。</translation>
    </message>
    <message>
        <source>No generation data; the file holds only: {places}.</source>
        <translation>没有生成信息；文件中只有：{places}。</translation>
    </message>
    <message>
        <source>The file names two seeds, {first} and {second}.</source>
        <translation>文件中有两个不同的种子：{first} 和 {second}。</translation>
    </message>
    <message>
        <source>A newer Danqing made this picture; its exact record is not read.</source>
        <translation>这张图片由更新版本的丹青绘制，无法读取其完整记录。</translation>
    </message>
    <message>
        <source>The pixels are damaged.</source>
        <translation>图像数据已损坏。</translation>
    </message>
    <message>
        <source>A text is too long and was left out: {place}.</source>
        <translation>文本过长，已略过：{place}。</translation>
    </message>
    <message>
        <source>A text is damaged: {place}.</source>
        <translation>文本已损坏：{place}。</translation>
    </message>
    <message>
        <source>The XMP data is damaged.</source>
        <translation>XMP 数据已损坏。</translation>
    </message>
    <message>
        <source>The XMP data is too large and was left out.</source>
        <translation>XMP 数据过大，已略过。</translation>
    </message>
</context>
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
        <source>&amp;Import prompt list…</source>
        <translation>导入提示词列表(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Paste prompt list</source>
        <translation>粘贴提示词列表(&amp;P)</translation>
    </message>
    <message>
        <source>Open pictur&amp;e settings…</source>
        <translation>读取图片参数(&amp;E)…</translation>
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
        <source>&amp;Names of new pictures…</source>
        <translation>新图片的文件名(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Move to the trash</source>
        <translation>移到回收站(&amp;T)</translation>
    </message>
    <message>
        <source>Put &amp;back what was deleted</source>
        <translation>恢复已删除的图片(&amp;B)</translation>
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
        <source>System &amp;check…</source>
        <translation>系统检查(&amp;C)…</translation>
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
    <name>CheckRows</name>
    <message numerus="yes">
        <source>%n failed</source>
        <comment>rows</comment>
        <translation>
            <numerusform>%n 项未通过</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <comment>rows</comment>
        <translation>
            <numerusform>%n 项警告</numerusform>
        </translation>
    </message>
    <message>
        <source>{group}: {counts}</source>
        <translation>{group}：{counts}</translation>
    </message>
</context>
<context>
    <name>CheckWords</name>
    <message>
        <source>Found</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Needed</source>
        <translation>要求</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Read from</source>
        <translation>读取自</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>解决办法</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>进行中…</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>原文</translation>
    </message>
    <message>
        <source>{gpu}. {reason}</source>
        <translation>{gpu}。{reason}</translation>
    </message>
</context>
<context>
    <name>Checks</name>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>Software</source>
        <translation>软件</translation>
    </message>
    <message>
        <source>Self-test</source>
        <translation>自检</translation>
    </message>
    <message>
        <source>For reports</source>
        <translation>供报告参考</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>平台</translation>
    </message>
    <message>
        <source>AMD GPU</source>
        <translation>AMD 显卡</translation>
    </message>
    <message>
        <source>Model of the card</source>
        <translation>显卡型号</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>Firmware</source>
        <translation>固件</translation>
    </message>
    <message>
        <source>Compute driver (KFD)</source>
        <translation>计算驱动（KFD）</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>权限</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Main memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Partitions</source>
        <translation>分区</translation>
    </message>
    <message>
        <source>Number of GPUs</source>
        <translation>显卡数量</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Kernel configuration</source>
        <translation>内核配置</translation>
    </message>
    <message>
        <source>Kernel parameters</source>
        <translation>内核参数</translation>
    </message>
    <message>
        <source>UEFI (CSM)</source>
        <translation>UEFI（CSM）</translation>
    </message>
    <message>
        <source>Above 4G Decoding</source>
        <translation>Above 4G Decoding</translation>
    </message>
    <message>
        <source>Resizable BAR</source>
        <translation>Resizable BAR</translation>
    </message>
    <message>
        <source>PCIe atomics</source>
        <translation>PCIe 原子操作</translation>
    </message>
    <message>
        <source>PCIe connection</source>
        <translation>PCIe 连接</translation>
    </message>
    <message>
        <source>ACS</source>
        <translation>ACS</translation>
    </message>
    <message>
        <source>IOMMU</source>
        <translation>IOMMU</translation>
    </message>
    <message>
        <source>ROCm</source>
        <translation>ROCm</translation>
    </message>
    <message>
        <source>Kernels for this GPU</source>
        <translation>这块显卡的内核程序</translation>
    </message>
    <message>
        <source>Environment variables</source>
        <translation>环境变量</translation>
    </message>
    <message>
        <source>PaddlePaddle</source>
        <translation>PaddlePaddle</translation>
    </message>
    <message>
        <source>paddlenlp</source>
        <translation>paddlenlp</translation>
    </message>
    <message>
        <source>Faults since boot</source>
        <translation>启动以来的故障</translation>
    </message>
    <message>
        <source>Specification</source>
        <translation>规格</translation>
    </message>
    <message>
        <source>VBIOS</source>
        <translation>VBIOS</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>板卡</translation>
    </message>
    <message>
        <source>NUMA node</source>
        <translation>NUMA 节点</translation>
    </message>
    <message>
        <source>Performance level</source>
        <translation>性能级别</translation>
    </message>
    <message>
        <source>Clocks</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>Sensors</source>
        <translation>传感器</translation>
    </message>
    <message>
        <source>Power state</source>
        <translation>电源状态</translation>
    </message>
    <message>
        <source>SR-IOV</source>
        <translation>SR-IOV</translation>
    </message>
    <message>
        <source>ASPM</source>
        <translation>ASPM</translation>
    </message>
    <message>
        <source>NUMA balancing</source>
        <translation>NUMA 平衡</translation>
    </message>
    <message>
        <source>Shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Where it computes</source>
        <translation>在哪里计算</translation>
    </message>
    <message>
        <source>Allocation</source>
        <translation>分配内存</translation>
    </message>
    <message>
        <source>Copy there and back</source>
        <translation>来回复制</translation>
    </message>
    <message>
        <source>Matrix product</source>
        <translation>矩阵乘积</translation>
    </message>
    <message>
        <source>Convolution</source>
        <translation>卷积</translation>
    </message>
    <message>
        <source>Softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>All memory</source>
        <translation>全部内存</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>Sustained load</source>
        <translation>持续负载</translation>
    </message>
    <message>
        <source>Reference picture</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>good</source>
        <translation>良好</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>does not apply</source>
        <translation>不适用</translation>
    </message>
    <message>
        <source>information</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>check failed</source>
        <translation>检查出错</translation>
    </message>
    <message>
        <source>Pictures can be made on the GPU.</source>
        <translation>可以用显卡画图。</translation>
    </message>
    <message>
        <source>Nothing is in the way. The self-test has to pass before the GPU is used.</source>
        <translation>没有妨碍。使用显卡之前须先通过自检。</translation>
    </message>
    <message>
        <source>The GPU works. Its warnings have to be read before it is used.</source>
        <translation>显卡可以工作。使用之前须先阅读警告。</translation>
    </message>
    <message>
        <source>Pictures cannot be made on the GPU.</source>
        <translation>不能用显卡画图。</translation>
    </message>
    <message>
        <source>No AMD GPU has been seen, nor that there is none: nothing can be said about the GPU.</source>
        <translation>既未看到 AMD 显卡，也无法确定没有显卡，因此无法判断能否使用显卡。</translation>
    </message>
    <message>
        <source>graphics card</source>
        <translation>独立显卡</translation>
    </message>
    <message>
        <source>driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>kernel parameters</source>
        <translation>内核参数</translation>
    </message>
    <message>
        <source>BIOS</source>
        <translation>BIOS</translation>
    </message>
    <message>
        <source>inside the processor</source>
        <translation>处理器内部</translation>
    </message>
    <message>
        <source>accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>virtual</source>
        <translation>虚拟</translation>
    </message>
    <message>
        <source>part of an accelerator</source>
        <translation>加速卡的一部分</translation>
    </message>
    <message>
        <source>child process</source>
        <translation>子进程</translation>
    </message>
    <message>
        <source>{title}: {summary}</source>
        <translation>{title}：{summary}</translation>
    </message>
</context>
<context>
    <name>CommandLine</name>
    <message>
        <source>Copy this command</source>
        <translation>复制此命令</translation>
    </message>
    <message>
        <source>Copy the command {command}</source>
        <translation>复制命令 {command}</translation>
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
    <name>FileNamesDialog</name>
    <message>
        <source>Names of new pictures</source>
        <translation>新图片的文件名</translation>
    </message>
    <message>
        <source>&amp;Pattern</source>
        <translation>格式(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;As usual</source>
        <translation>恢复默认(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;OK</source>
        <translation>确定(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Filled in: {tokens}. A / makes a folder.</source>
        <translation>可填入的内容：{tokens}。“/”会建立文件夹。</translation>
    </message>
    <message>
        <source>an orange cat</source>
        <translation>一只橘猫</translation>
    </message>
    <message>
        <source>Did you mean [{token}]?</source>
        <translation>您是想写 [{token}] 吗？</translation>
    </message>
    <message>
        <source>Example: {name}</source>
        <translation>示例：{name}</translation>
    </message>
</context>
<context>
    <name>GateNote</name>
    <message>
        <source>Drawn on the CPU, because the number of the checked GPU cannot be told. Unset GPU_DEVICE_ORDINAL, and all but one of HIP_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES.</source>
        <translation>无法确定已检查的显卡的编号，因此在 CPU 上绘制。请取消设置 GPU_DEVICE_ORDINAL；HIP_VISIBLE_DEVICES、ROCR_VISIBLE_DEVICES 和 CUDA_VISIBLE_DEVICES 最多只保留一个。</translation>
    </message>
    <message>
        <source>GPU off: its number is not known</source>
        <translation>显卡未启用：无法确定其编号</translation>
    </message>
    <message>
        <source>GPU on, against the advice of the check</source>
        <translation>显卡已启用（未按检查建议）</translation>
    </message>
    <message>
        <source>GPU on</source>
        <translation>显卡已启用</translation>
    </message>
    <message>
        <source>Drawn on the CPU: there is no AMD GPU</source>
        <translation>用 CPU 绘制：没有 AMD 显卡</translation>
    </message>
    <message>
        <source>GPU off: {row}</source>
        <translation>显卡未启用：{row}</translation>
    </message>
    <message>
        <source>GPU off until the self-test passes</source>
        <translation>显卡未启用：需先通过自检</translation>
    </message>
    <message>
        <source>GPU off until its warnings are read</source>
        <translation>显卡未启用：需先阅读警告</translation>
    </message>
</context>
<context>
    <name>ListImport</name>
    <message>
        <source>Import prompt list</source>
        <translation>导入提示词列表</translation>
    </message>
    <message>
        <source>Prompt lists ({endings})</source>
        <translation>提示词列表 ({endings})</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>LogPage</name>
    <message>
        <source>Paste lines of dmesg, rocminfo, lspci, PaddlePaddle or another program that did not work. They stay on this computer.</source>
        <translation>把 dmesg、rocminfo、lspci、PaddlePaddle 或其他出错程序的输出粘贴到这里。内容不会离开这台电脑。</translation>
    </message>
    <message>
        <source>Text of a log</source>
        <translation>日志文本</translation>
    </message>
    <message>
        <source>Paste a log here</source>
        <translation>在此粘贴日志</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>Explain (Ctrl+Enter)</source>
        <translation>解释 (Ctrl+Enter)</translation>
    </message>
    <message numerus="yes">
        <source>%n thing(s) known in here:</source>
        <translation>
            <numerusform>其中有 %n 处是已知的：</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing known in here. That is no sign that nothing is wrong: Danqing knows the messages of the driver, ROCm and PaddlePaddle that it was taught.</source>
        <translation>其中没有已知的内容。这并不表示没有问题：丹青只认识收录过的驱动、ROCm 和 PaddlePaddle 消息。</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Until it is mended, pictures are named as usual.</source>
        <translation>改正之前，图片仍按默认方式命名。</translation>
    </message>
    <message>
        <source>All pictures of the grid are also on one sheet: {name}</source>
        <translation>网格的全部图片也已汇总在一张图上：{name}</translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>JPEG picture, smaller (*.jpg *.jpeg)</source>
        <translation>JPEG 图片，文件较小 (*.jpg *.jpeg)</translation>
    </message>
    <message>
        <source>WebP picture, as exact as PNG (*.webp)</source>
        <translation>WebP 图片，与 PNG 一样无损 (*.webp)</translation>
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
        <source>its number cannot be told. Unset GPU_DEVICE_ORDINAL, and all but one of HIP_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES</source>
        <translation>无法确定其编号。请取消设置 GPU_DEVICE_ORDINAL；HIP_VISIBLE_DEVICES、ROCR_VISIBLE_DEVICES 和 CUDA_VISIBLE_DEVICES 最多只保留一个</translation>
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
        <source>The text is longer than the model reads: the first {tokens} tokens count.</source>
        <translation>文字超出了模型能读的长度：只有前 {tokens} 个词元有效。</translation>
    </message>
    <message>
        <source>Shorten the text, or put what matters first.</source>
        <translation>请缩短文字，或把重要的内容放在前面。</translation>
    </message>
    <message>
        <source>The text is longer than the model reads.</source>
        <translation>文字超出了模型能读的长度。</translation>
    </message>
    <message>
        <source>{path} cannot be moved to the trash: {reason}.</source>
        <translation>无法把 {path} 移到回收站：{reason}。</translation>
    </message>
    <message>
        <source>It is still where it was. There may be no trash on its disk: then it can be deleted in the file manager, for good.</source>
        <translation>它还在原处。它所在的磁盘可能没有回收站，这时可以在文件管理器中永久删除它。</translation>
    </message>
    <message>
        <source>{path} cannot be put back: {reason}.</source>
        <translation>无法恢复 {path}：{reason}。</translation>
    </message>
    <message>
        <source>It is still in the trash.</source>
        <translation>它仍在回收站里。</translation>
    </message>
    <message>
        <source>{path} cannot be put back: it is no longer in the trash.</source>
        <translation>无法恢复 {path}：它已不在回收站里。</translation>
    </message>
    <message>
        <source>The trash was emptied meanwhile, or somebody has restored it.</source>
        <translation>回收站可能已被清空，或文件已被还原。</translation>
    </message>
    <message>
        <source>No files can be made in {path}.</source>
        <translation>无法在 {path} 中创建文件。</translation>
    </message>
    <message>
        <source>The disk of {path} has too little room: about {needed_bytes} needed, {free_bytes} free.</source>
        <translation>{path} 所在磁盘的空间不够：大约需要 {needed_bytes}，可用 {free_bytes}。</translation>
    </message>
    <message>
        <source>Free some space, choose another folder, or make fewer pictures: there is room for {fits}.</source>
        <translation>请腾出一些空间、换一个文件夹，或少画几张：现有空间可放 {fits} 张。</translation>
    </message>
    <message>
        <source>The disk of {path} takes only {free_files} more files.</source>
        <translation>{path} 所在磁盘只能再存放 {free_files} 个文件。</translation>
    </message>
    <message>
        <source>Delete files that are not needed, or choose another folder.</source>
        <translation>请删除不需要的文件，或换一个文件夹。</translation>
    </message>
    <message>
        <source>Close other windows of Danqing, or try again later.</source>
        <translation>请关闭丹青的其他窗口，或稍后再试。</translation>
    </message>
    <message>
        <source>The queue cannot be kept: the disk of {path} is full.</source>
        <translation>无法保存队列：{path} 所在的磁盘已满。</translation>
    </message>
    <message>
        <source>Free some space on it.</source>
        <translation>请在该磁盘上腾出一些空间。</translation>
    </message>
    <message>
        <source>The queue cannot be kept: {path} cannot be written.</source>
        <translation>无法保存队列：{path} 不可写入。</translation>
    </message>
    <message>
        <source>Check its permissions and those of its folder.</source>
        <translation>请检查该文件及其所在文件夹的权限。</translation>
    </message>
    <message>
        <source>The queue cannot be kept: {path} cannot be opened.</source>
        <translation>无法保存队列：{path} 无法打开。</translation>
    </message>
    <message>
        <source>The queue cannot be kept: the disk of {path} has an error.</source>
        <translation>无法保存队列：{path} 所在的磁盘出错。</translation>
    </message>
    <message>
        <source>Check the disk.</source>
        <translation>请检查磁盘。</translation>
    </message>
    <message>
        <source>The queue is in use: another program keeps {path} locked.</source>
        <translation>队列正被占用：另一个程序锁定了 {path}。</translation>
    </message>
    <message>
        <source>The queue is damaged, and in use: {path}.</source>
        <translation>队列已损坏，且正被占用：{path}。</translation>
    </message>
    <message>
        <source>A newer Danqing has written the queue: {path}.</source>
        <translation>队列是由更新版本的丹青写入的：{path}。</translation>
    </message>
    <message>
        <source>Use that one.</source>
        <translation>请使用那个版本。</translation>
    </message>
    <message>
        <source>The file with the queue was damaged. It was set aside, and a new one was begun.</source>
        <translation>队列文件已损坏。原文件已移到一旁保留，并新建了一个。</translation>
    </message>
    <message>
        <source>Jobs recovered from it: {jobs}. No picture was touched. The old file: {path}</source>
        <translation>从中恢复的任务：{jobs} 个。所有图片都未受影响。原文件：{path}</translation>
    </message>
    <message>
        <source>The settings could not be read; the usual ones apply.</source>
        <translation>无法读取设置；已改用默认设置。</translation>
    </message>
    <message>
        <source>The old file was set aside: {path}</source>
        <translation>原文件已移到一旁保留：{path}</translation>
    </message>
    <message>
        <source>The pattern for file names is empty.</source>
        <translation>文件名格式为空。</translation>
    </message>
    <message>
        <source>There are: {known}.</source>
        <translation>可用的有：{known}。</translation>
    </message>
    <message>
        <source>{part} is not known in a pattern for file names.</source>
        <translation>文件名格式里没有 {part}。</translation>
    </message>
    <message>
        <source>Did you mean {near}? There are: {known}.</source>
        <translation>您是想写 {near} 吗？可用的有：{known}。</translation>
    </message>
    <message>
        <source>In “{part}”, a bracket has no partner.</source>
        <translation>“{part}”中的方括号不成对。</translation>
    </message>
    <message>
        <source>What is filled in is written like this: [seed].</source>
        <translation>要填入的内容请这样写：[seed]。</translation>
    </message>
    <message>
        <source>“{part}” cannot be in a file name.</source>
        <translation>文件名中不能有“{part}”。</translation>
    </message>
    <message>
        <source>Leave it out of the pattern.</source>
        <translation>请从格式中去掉它。</translation>
    </message>
    <message>
        <source>{part} is not understood.</source>
        <translation>无法理解 {part}。</translation>
    </message>
    <message>
        <source>For example: [prompt_hash&lt;8&gt;], [datetime&lt;%Y-%m-%d&gt;&lt;UTC&gt;], [hasprompt&lt;cat|other&gt;].</source>
        <translation>例如：[prompt_hash&lt;8&gt;]、[datetime&lt;%Y-%m-%d&gt;&lt;UTC&gt;]、[hasprompt&lt;cat|other&gt;]。</translation>
    </message>
    <message>
        <source>“{part}” cannot be the name of a folder.</source>
        <translation>“{part}”不能用作文件夹名。</translation>
    </message>
    <message>
        <source>[date]/[seed] makes a folder for each day in the pictures folder.</source>
        <translation>[date]/[seed] 会在图片文件夹中为每一天建一个文件夹。</translation>
    </message>
    <message>
        <source>{part} can be in a pattern only once.</source>
        <translation>格式中只能有一个 {part}。</translation>
    </message>
    <message>
        <source>It counts the pictures of a folder.</source>
        <translation>它给文件夹中的图片编号。</translation>
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
    <name>PictureDrop</name>
    <message>
        <source>Open picture settings</source>
        <translation>读取图片参数</translation>
    </message>
    <message>
        <source>Pictures ({endings})</source>
        <translation>图片 ({endings})</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>PictureSettingsDialog</name>
    <message>
        <source>Select none</source>
        <translation>全不选</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Picture settings</source>
        <translation>图片参数</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>反向提示词</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>尺寸</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Sampler</source>
        <translation>采样器</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>引导强度</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>The file cannot be read: {reason}</source>
        <translation>无法读取文件：{reason}</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>This picture does not say how it was made.</source>
        <translation>这张图片没有记录生成参数。</translation>
    </message>
    <message>
        <source>Made with {program}. What should go into the prompt panel?</source>
        <translation>由 {program} 生成。要把哪些参数填入提示词面板？</translation>
    </message>
    <message>
        <source>Danqing</source>
        <translation>丹青</translation>
    </message>
    <message>
        <source>another program</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>Not a seed that can be set here</source>
        <translation>此种子无法在这里使用</translation>
    </message>
    <message>
        <source>The chosen model does not draw at this size</source>
        <translation>所选模型不支持此尺寸</translation>
    </message>
    <message>
        <source>This sampler is not available here</source>
        <translation>这里没有此采样器</translation>
    </message>
    <message>
        <source>Outside what can be set here</source>
        <translation>超出可设置的范围</translation>
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
    <name>PromptListDialog</name>
    <message>
        <source>Import prompt list</source>
        <translation>导入提示词列表</translation>
    </message>
    <message>
        <source>&amp;Read as</source>
        <translation>读取方式(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Encoding</source>
        <translation>编码(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Seeds</source>
        <translation>种子(&amp;S)</translation>
    </message>
    <message>
        <source>“|” makes a prompt &amp;matrix</source>
        <translation>用“|”组成提示词矩阵(&amp;M)</translation>
    </message>
    <message>
        <source>Only rows with &amp;problems</source>
        <translation>只看有问题的行(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Next problem (F8)</source>
        <translation>下一个问题 (F8)(&amp;N)</translation>
    </message>
    <message>
        <source>As the list looks</source>
        <translation>自动判断</translation>
    </message>
    <message>
        <source>One prompt a line</source>
        <translation>每行一个提示词</translation>
    </message>
    <message>
        <source>Blocks between ###</source>
        <translation>以 ### 分隔的段落</translation>
    </message>
    <message>
        <source>Table (CSV)</source>
        <translation>表格 (CSV)</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>JSON 行</translation>
    </message>
    <message>
        <source>One more each time</source>
        <translation>逐张加一</translation>
    </message>
    <message>
        <source>The same for all</source>
        <translation>全部相同</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文字</translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>……另有 %n 条</numerusform>
        </translation>
    </message>
    <message>
        <source>Line {line}: {text}</source>
        <translation>第 {line} 行：{text}</translation>
    </message>
    <message>
        <source>Not known: choose</source>
        <translation>未知，请选择</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取……</translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s)</source>
        <translation>
            <numerusform>%n 张图片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wrong row(s), not drawn</source>
        <translation>
            <numerusform>%n 行有误，不会绘制</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out</source>
        <translation>
            <numerusform>已排除 %n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>En&amp;queue %n picture(s)</source>
        <translation>
            <numerusform>将 %n 张加入队列(&amp;Q)</numerusform>
        </translation>
    </message>
    <message>
        <source>Time: not known before a picture has been drawn</source>
        <translation>时间：画出第一张之后才能估计</translation>
    </message>
    <message>
        <source>Time: about {duration}</source>
        <translation>时间：约 {duration}</translation>
    </message>
    <message>
        <source>Disk: about {needed} of {free} free</source>
        <translation>磁盘：约需 {needed}，可用 {free}</translation>
    </message>
    <message>
        <source>Disk: {needed} are needed, and only {free} are free</source>
        <translation>磁盘：需要 {needed}，可用空间只有 {free}</translation>
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
    <name>PromptTable</name>
    <message>
        <source>Pictures of the list</source>
        <translation>列表中的图片</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Negative</source>
        <translation>反向提示词</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>尺寸</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>引导强度</translation>
    </message>
    <message>
        <source>Sampler</source>
        <translation>采样器</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>QueueBanner</name>
    <message>
        <source>Danqing ended unexpectedly. Nothing that was finished is lost.</source>
        <translation>丹青意外退出。已完成的内容都没有丢失。</translation>
    </message>
    <message>
        <source>Danqing was closed before they were made.</source>
        <translation>丹青在它们完成之前被关闭。</translation>
    </message>
    <message>
        <source>The device that draws cannot be used. The system check tells more.</source>
        <translation>用于绘制的设备无法使用。详情请见系统检查。</translation>
    </message>
    <message>
        <source>The disk is full: free some space.</source>
        <translation>磁盘已满：请腾出一些空间。</translation>
    </message>
    <message>
        <source>The pictures folder is not there: if it is on another disk, connect it.</source>
        <translation>图片文件夹不存在：如果它在另一个磁盘上，请连接该磁盘。</translation>
    </message>
    <message>
        <source>The pictures folder cannot be written: check its permissions.</source>
        <translation>图片文件夹不可写入：请检查其权限。</translation>
    </message>
    <message>
        <source>The disk reports an error.</source>
        <translation>磁盘报告了一个错误。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>The queue is paused.</source>
        <translation>队列已暂停。</translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s) of an earlier run are not made yet.</source>
        <translation>
            <numerusform>上次还有 %n 张图片没有完成。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n job(s) are left out.</source>
        <translation>
            <numerusform>有 %n 个任务被搁置。</numerusform>
        </translation>
    </message>
    <message>
        <source>Danqing ended unexpectedly twice while drawing: “{prompt}”</source>
        <translation>丹青在绘制时两次意外退出：“{prompt}”</translation>
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
    <name>SelfTestBar</name>
    <message>
        <source>Run self-test</source>
        <translation>运行自检</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the self-test</source>
        <translation>停止自检</translation>
    </message>
    <message>
        <source>Progress of the self-test</source>
        <translation>自检进度</translation>
    </message>
    <message>
        <source>Beginning…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>{step} ({number} of {count})</source>
        <translation>{step}（第 {number} 项，共 {count} 项）</translation>
    </message>
    <message>
        <source>The self-test is for this machine only.</source>
        <translation>自检只能在本机上运行。</translation>
    </message>
    <message>
        <source>The self-test can run when no picture is being drawn.</source>
        <translation>没有图片在绘制时才能运行自检。</translation>
    </message>
    <message>
        <source>The last one tested the CPU, which is no proof for a GPU.</source>
        <translation>上次自检测试的是 CPU，不能证明显卡可用。</translation>
    </message>
    <message>
        <source>Proves that the GPU computes rightly; takes about a minute. Without a GPU it tests the CPU.</source>
        <translation>验证显卡计算是否正确，约需一分钟。没有显卡时测试 CPU。</translation>
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
    <name>SystemCheck</name>
    <message>
        <source>Save report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Report (*.zip)</source>
        <translation>报告 (*.zip)</translation>
    </message>
    <message>
        <source>The report is saved: {file}</source>
        <translation>报告已保存：{file}</translation>
    </message>
    <message>
        <source>There is nothing personal in it, so it can be shown.</source>
        <translation>其中不含个人信息，可以放心给别人看。</translation>
    </message>
    <message>
        <source>Open a report</source>
        <translation>打开报告</translation>
    </message>
    <message>
        <source>Use the GPU although the check advises against it?</source>
        <translation>检查不建议使用显卡，仍要使用吗？</translation>
    </message>
    <message>
        <source>What failed makes crashes, a frozen desktop or wrong pictures likely. The rows say how to fix it.</source>
        <translation>这些失败项很可能导致程序崩溃、桌面卡死或图片出错。各项中写有解决办法。</translation>
    </message>
    <message>
        <source>Continue…</source>
        <translation>继续…</translation>
    </message>
    <message>
        <source>Really use the GPU?</source>
        <translation>确定要使用显卡吗？</translation>
    </message>
    <message>
        <source>It holds until something in this machine changes or you take it back here. Every picture will record it.</source>
        <translation>此决定一直有效，直到这台机器有所改变，或您在此撤回。每张图片都会记录这一点。</translation>
    </message>
    <message>
        <source>Use the GPU</source>
        <translation>使用显卡</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>This is a recorded machine, from {name}.</source>
        <translation>这是记录下来的一台机器，出自 {name}。</translation>
    </message>
    <message>
        <source>A saved report, yours or somebody else&apos;s; it can also be dropped here</source>
        <translation>保存过的报告，自己的、别人的都行；也可以直接拖到这里</translation>
    </message>
    <message>
        <source>System check</source>
        <translation>系统检查</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>检查(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste a log</source>
        <translation>粘贴日志(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Save report…</source>
        <translation>保存报告(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Open a report…</source>
        <translation>打开报告(&amp;O)…</translation>
    </message>
    <message>
        <source>Check &amp;again</source>
        <translation>重新检查(&amp;A)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Show this machine</source>
        <translation>显示本机</translation>
    </message>
    <message>
        <source>Rows of the check</source>
        <translation>检查项目</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy for an &amp;issue</source>
        <translation>复制到问题报告(&amp;I)</translation>
    </message>
</context>
<context>
    <name>SystemVerdict</name>
    <message>
        <source>I have read these warnings</source>
        <translation>我已阅读这些警告</translation>
    </message>
    <message>
        <source>Use the GPU against this advice…</source>
        <translation>不顾建议，使用显卡…</translation>
    </message>
    <message>
        <source>Follow the check again</source>
        <translation>恢复按检查结果处理</translation>
    </message>
    <message>
        <source>Checking this machine…</source>
        <translation>正在检查本机…</translation>
    </message>
    <message>
        <source>Asking PaddlePaddle what it can do…</source>
        <translation>正在询问 PaddlePaddle 支持什么…</translation>
    </message>
    <message>
        <source>You have opened it against the advice of the check. Every picture records it.</source>
        <translation>您已不顾检查建议启用了显卡。每张图片都会记录这一点。</translation>
    </message>
    <message>
        <source>{part} (now {value})</source>
        <translation>{part}（现为 {value}）</translation>
    </message>
    <message>
        <source>Changed since the self-test last passed: {parts}</source>
        <translation>自上次通过自检以来已改变：{parts}</translation>
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
